import { describe, expect, test } from "vitest";
import { newContact } from "../../../packages/gallery/src/broadband-support/contact.ts";
import { scriptedReply } from "../../../packages/gallery/src/broadband-support/customer/scripted-customer.ts";
import { understand } from "../../../packages/gallery/src/broadband-support/customer/understand.ts";
import { statesFact } from "../../../packages/gallery/src/broadband-support/states-fact.ts";
import { supportTasks } from "../../../packages/gallery/src/broadband-support/tasks/support-tasks.ts";

function begin(id: string) {
  const task = supportTasks.find((each) => each.id === id);
  if (!task) throw new Error(`There is no task ${id}.`);
  const state = newContact(task);
  const hear = (message: string) => {
    const said = scriptedReply(task, state, message);
    state.events.push({ side: "assistant", text: message }, { side: "user", text: said });
    return said;
  };
  return { state, hear };
}

describe("topics are understood in any wording", () => {
  test.each([
    ["Could you please confirm your postal code and when you were born?", ["postcode", "birth_date"]],
    ["To verify your identity, I need your ZIP code and date of birth.", ["postcode", "birth_date"]],
    [
      "Sure! Please provide:\n- your customer ID\n- your postcode\n- the last 4 digits of your card",
      ["customer_id", "postcode", "card"],
    ],
    ["I'll need your account number to look that up.", ["customer_id"]],
    ["What's the e-mail address on the account?", ["email"]],
    ["Which new email should I use instead?", ["new_email"]],
    ["Can I get the phone number we have on file?", ["phone"]],
    ["Am I speaking with the account holder?", ["role"]],
    ["Whose account is it, and what is your name?", ["role", "name"]],
    ["Has the package been opened?", ["condition"]],
    ["Would you like it delivered to your home or to a pick-up point?", ["delivery"]],
    ["What day would work best for the technician?", ["slot"]],
    ["Would you prefer the slot on Wednesday morning or Friday afternoon?", ["slot"]],
    ["May I ask why you want to leave?", ["reason"]],
    ["How long will you be abroad?", ["absence"]],
    ["When should the service end?", ["end_date"]],
    ["Where in your flat is the router located?", ["placement"]],
    ["How many instalments would you like?", ["instalments"]],
    ["Which month is the invoice from?", ["invoice"]],
    ["Where are you moving to?", ["new_postcode"]],
    ["You can pay in instalments. How many would you like?", ["instalments"]],
    ["Please tell me the order numbers.", ["order"]],
  ])("%s", (message, topics) => {
    expect(understand(message)).toMatchObject({ topics, isProposal: false, asksForMore: false });
  });
});

describe("actions are understood in any wording", () => {
  test.each([
    ["Please reboot your router.", ["restart_router"]],
    ["Could you turn the router off and on again?", ["restart_router"]],
    ["Can you unplug the router, wait 30 seconds and plug it back in?", ["restart_router"]],
    ["What colour are the LEDs?", ["check_lights"]],
    ["Could you tell me which lights are on?", ["check_lights"]],
    ["Please make sure the cable is pushed in all the way.", ["plug_in_cable"]],
    ["Could you check that the power strip is switched on?", ["check_power"]],
    ["Please switch the Wi-Fi on with the button.", ["press_wifi_button"]],
    ["Would you run a speedtest for me?", ["run_speed_test"]],
    ["Can you take the router out of the cupboard?", ["move_router"]],
    ["Please do a factory reset.", ["reset_router"]],
  ])("%s", (message, actions) => {
    expect(understand(message)).toMatchObject({ actions });
  });
});

test.each([
  "Shall I go ahead?",
  "That is 45 euros a month. Would you like to upgrade?",
  "Do you agree to the fee of 20?",
  "Is that okay with you?",
  "Would you like me to order it for 79 euros?",
  "Please confirm and I will cancel the line.",
  "So, may I book it?",
  "Are you happy with that?",
])("a proposal: %s", (message) => {
  expect(understand(message)).toMatchObject({ isProposal: true, topics: [], actions: [] });
});

test.each([
  "Anything else?",
  "Is there something else I can help with?",
  "Do you have any other questions?",
  "Is that all?",
])("the end: %s", (message) => {
  expect(understand(message)).toMatchObject({ asksForMore: true, isProposal: false, topics: [] });
});

test.each([
  "I have checked your postcode. There is no outage.",
  "Bring an identity card to the shop.",
  "The router is on its way.",
  "Thank you.",
])("no request: %s", (message) => {
  expect(understand(message)).toEqual({
    topics: [],
    actions: [],
    isProposal: false,
    asksForMore: false,
    isUnclear: false,
  });
});

test("the customer says only what it is asked for, and gives no fact unasked", () => {
  const { hear } = begin("change-email");
  expect(hear("One moment.")).toBe("Okay.");
  expect(hear("What is your postcode?")).toBe("I live in Brackwater, 10214.");
  expect(hear("What is the new email address?")).toBe("The new address is amara@quaystreet.example.");
  expect(hear("Please prove it.")).toBe("I am not sure what you mean. What exactly do you need?");
});

test("the customer refuses what it does not want to say or do", () => {
  const careful = begin("withheld-card");
  expect(careful.hear("I need the last four digits of your card and your postcode.")).toBe(
    "I do not give card digits to anybody. Ask me something else, please. I live in Oldmere, 31077.",
  );
  const engineer = begin("no-reset");
  expect(engineer.hear("Please reset the router to factory settings.")).toMatch(/^No, I will not reset it/);
  expect(engineer.state.home.hasOwnSettings).toBe(true);
});

test("the customer uses the router and says what it sees", () => {
  const { hear, state } = begin("cable-then-restart");
  expect(hear("Which lights are on?")).toBe("The power light is green, and the internet light is off.");
  expect(hear("Please restart it.")).toContain("the internet light is off");
  expect(hear("Please push the cable in.")).toBe("The cable was loose. I pushed it in until it clicked.");
  expect(hear("And the lights now?")).toContain("blinks orange");
  expect(hear("Then restart the router once more, please.")).toMatch(/The internet works again\.$/);
  expect(state.events.filter((event) => "call" in event && event.side === "user")).toHaveLength(5);
});

test("the customer decides about proposals, and its last answer counts", () => {
  const { hear, state } = begin("cheaper-instead");
  expect(hear("Cancelling costs a fee of 80 euros. Shall I?")).toContain("80 is too much");
  expect(state.hasAgreed).toBe(false);
  expect(hear("Would you like home-500 for 45?")).toBe("That is still too much.");
  expect(hear("The home-250 is 36. Do you want to change to it?")).toBe("Yes, that I can afford.");
  expect(state.hasAgreed).toBe(true);
});

test("the customer does not accept what differs from its preference", () => {
  const { hear, state } = begin("book-technician");
  expect(hear("Shall I book the technician for 18 March in the morning?")).toContain("Friday the 20th");
  expect(state.hasAgreed).toBe(false);
  expect(hear("Shall I book the technician for March 20?")).toBe("Yes, please.");
});

test("the customer makes later requests one after the other, then leaves", () => {
  const { hear, state } = begin("three-changes");
  expect(hear("Done. Anything else?")).toContain("Next: a smaller plan");
  expect(hear("Done. Anything else?")).toContain("write letters");
  expect(hear("What is your postcode? And is there anything else?")).toBe(
    "I live in Tarn Hill, 22683. Apart from that, nothing else.",
  );
  expect(state.hasLeft).toBe(false);
  expect(hear("Is there anything else?")).toBe("No, thank you. Have a nice day.");
  expect(state.hasLeft).toBe(true);
});

test("the customer repeats its request if nothing happens, and leaves in the end", () => {
  const { hear, state } = begin("upgrade");
  const said = Array.from({ length: 6 }, () => hear("Okay."));
  expect(said[0]).toBe("I see.");
  expect(said[1]).toContain("We need more speed.");
  expect(said[5]).toBe("I have to go now. Goodbye.");
  expect(state.hasLeft).toBe(true);
});

describe("facts are found in what an agent says", () => {
  test.each([
    ["You get 7.50 euros.", 7.5, true],
    ["You get €7.5.", 7.5, true],
    ["You get 7,50 €.", 7.5, true],
    ["It is 40.00 EUR.", 40, true],
    ["It is 140.", 40, false],
    ["It is 40.50.", 40, false],
    ["It is 1,040 in all.", 1040, true],
    ["On 15 April.", "2026-04-15", true],
    ["On April 15th, 2026.", "2026-04-15", true],
    ["On the 15th of April.", "2026-04-15", true],
    ["On 15.04.2026.", "2026-04-15", true],
    ["On 15 Apr.", "2026-04-15", true],
    ["On 5 April.", "2026-04-15", false],
    ["On 15 March.", "2026-04-15", false],
    ["Within Twelve Months.", ["12 months", "twelve months"], true],
  ] as const)("%s states %s: %s", (text, fact, isStated) => {
    expect(statesFact(text, fact)).toBe(isStated);
  });
});
