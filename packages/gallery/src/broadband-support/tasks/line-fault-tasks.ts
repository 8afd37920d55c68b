import type { CustomerDecision, TaskTable } from "../support-task.ts";
import { finish, identify, solved, testSteps } from "./plan-steps.ts";

/** Faults on our side: outages and visits of a technician. */
export const lineFaultTasks: TaskTable = {
  "outage-now": {
    level: 1,
    customer: "C-1011",
    persona: "You are Clara Benedetti. You run an online shop from home and lose orders while you are offline.",
    opening: "My internet has been down since this morning. What is going on?",
    knows: { since: "Since about eight this morning.", symptom: "Nothing loads, on no device." },
    tell: ["2026-03-17"],
    plan: solved("C-1011", [
      ["outage_check", { postcode: "21316" }],
      "There is an outage in your area. We expect it to end on 2026-03-17.",
    ]),
  },
  "book-technician": {
    level: 1,
    customer: "C-1009",
    persona: "You are Ingrid Solberg, a patient person who plans the week in advance.",
    opening: "The internet light of my router is red since the storm. I have no connection.",
    knows: { slot: "Friday the 20th in the morning suits me.", since: "Since the storm on Saturday." },
    tell: ["2026-03-20"],
    decides: [onlyOn("2026-03-20", "That does not suit me. Friday the 20th in the morning does.")],
    plan: solved("C-1009", [
      ...testSteps("10355", "L-2009"),
      "Is the internet light red now? Please look at the lights.",
      ["visit_slots", {}],
      "There is a fault on our line, and a technician has to come. Which of these slots suits you: 18 March, 19 March in the afternoon, 20 March in the morning?",
      ["visit_book", { line_id: "L-2009", slot: "2026-03-20 morning" }],
      "The technician comes on 20 March in the morning, free of charge.",
    ]),
  },
  "move-visit": {
    level: 1,
    customer: "C-1025",
    persona: "You are Arjun Mehta. Your working hours changed at short notice.",
    opening: "A technician is booked for me on Wednesday, but I have to work then. Can we move that?",
    knows: { slot: "Tuesday the 24th in the afternoon would be good." },
    tell: ["2026-03-24"],
    decides: [onlyOn("2026-03-24", "Not then. Tuesday the 24th in the afternoon would be good.")],
    plan: solved("C-1025", [
      ["line_get", { line_id: "L-2025" }],
      ["visit_slots", {}],
      "Which day suits you for the visit?",
      ["visit_move", { visit_id: "V-6003", slot: "2026-03-24 afternoon" }],
      "Your visit is now on 24 March in the afternoon.",
    ]),
  },
  "visit-by-authorised-person": {
    level: 2,
    split: "test",
    customer: "C-1029",
    persona: "You are Jana Dvorak. You look after the flat of your brother Marek, who is abroad.",
    opening: "The internet in my brother's flat does not work. The light is red.",
    knows: {
      customer_id: "C-1029 is the number.",
      postcode: "The flat is in 31319.",
      birth_date: "Marek was born on 1971-11-27.",
      card: "I do not have the card.",
      name: "Jana Dvorak. The account is in the name of Marek Dvorak.",
      role: "No, I am Jana Dvorak. My brother Marek has put me on the list.",
      slot: "I work in the mornings. Thursday afternoon is possible.",
    },
    tell: ["2026-03-19"],
    decides: [onlyOn("2026-03-19", "I cannot be there then. Thursday afternoon is possible.")],
    plan: [
      "Are you the account holder?",
      ...identify("C-1029"),
      ["customer_get", { customer_id: "C-1029" }],
      ...testSteps("31319", "L-2029"),
      "Please check the lights of the router.",
      ["visit_slots", {}],
      "Which slot suits you for a technician?",
      ["visit_book", { line_id: "L-2029", slot: "2026-03-19 afternoon" }],
      "The technician comes on 19 March in the afternoon.",
      ...finish("C-1029"),
    ],
  },
  "fault-and-missed-visit": {
    level: 3,
    customer: "C-1015",
    persona: "You are Viktor Horvat. You stayed at home for a technician who never came, and you are annoyed.",
    opening: "I still have no internet! And nobody came last week, although I waited the whole day.",
    knows: { slot: "Wednesday afternoon, and this time somebody had better come.", since: "For ten days now." },
    home: { isCablePlugged: false },
    tell: ["2026-03-18", 25],
    decides: [onlyOn("2026-03-18", "No. Wednesday afternoon suits me.")],
    plan: solved("C-1015", [
      ...testSteps("22391", "L-2015"),
      "I am sorry about that. Please look at the lights of the router.",
      "Please push the cable into the socket until it clicks.",
      ["line_test", { line_id: "L-2015" }],
      ["line_get", { line_id: "L-2015" }],
      ["visit_slots", {}],
      "There is a fault on our line as well. Which slot suits you for the technician?",
      ["visit_book", { line_id: "L-2015", slot: "2026-03-18 afternoon" }],
      ["credit_add", { customer_id: "C-1015", amount: 25, reason: "missed_visit" }],
      "The technician comes on 18 March in the afternoon. For the visit that we missed you get a credit of 25 euros.",
    ]),
  },
};

/** Declines a visit on another day. */
function onlyOn(day: string, says: string): CustomerDecision {
  return { about: ["technician", "visit", "slot", "march"], unless: [day], agrees: false, says };
}
