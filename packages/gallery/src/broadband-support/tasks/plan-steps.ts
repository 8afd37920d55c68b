import { initialTables } from "../data/initial-tables.ts";
import type { PlanStep } from "../support-task.ts";
import type { ContactOutcome, CustomerRecord } from "../tables.ts";

type IdentityFact = "postcode" | "birth_date" | "card_last4";

/** A contact with the account holder that fulfils a request: checks the identity, takes the steps, and closes it. */
export function solved(id: string, steps: readonly PlanStep[]): PlanStep[] {
  return [...identify(id), ...steps, ...finish(id)];
}

/** A contact with the account holder in which all is declined. */
export function declined(id: string, steps: readonly PlanStep[]): PlanStep[] {
  return [...identify(id), ...steps, ...finish(id, "declined")];
}

/** Asks for the customer number and two facts, and checks them. */
export function identify(
  id: string,
  facts: readonly [IdentityFact, IdentityFact] = ["postcode", "birth_date"],
): PlanStep[] {
  const [first, second] = facts.map((fact) => questions[fact]);
  return [`May I have your customer number, ${first} and ${second}?`, verifyStep(id, facts)];
}

/** Finds the account by email or phone, and checks two facts. */
export function findAndIdentify(id: string, by: "email" | "phone"): PlanStep[] {
  const facts = ["postcode", "birth_date"] as const;
  return [
    `Which ${by === "email" ? "email address" : "phone number"} is on the account?`,
    ["customer_find", { by, value: customerOf(id)[by] }],
    "Please tell me your postcode and your date of birth.",
    verifyStep(id, facts),
  ];
}

/** The first two steps of every fault. */
export function testSteps(postcode: string, line: string): PlanStep[] {
  return [
    ["outage_check", { postcode }],
    ["line_test", { line_id: line }],
  ];
}

/** Asks whether there is anything else, and closes the contact. */
export function finish(id: string, outcome: Exclude<ContactOutcome, "transferred"> = "solved"): PlanStep[] {
  return ["Is there anything else I can do for you?", ["contact_close", { customer_id: id, outcome }]];
}

const questions: Readonly<Record<IdentityFact, string>> = {
  postcode: "your postcode",
  birth_date: "your date of birth",
  card_last4: "the last four digits of your card",
};

function verifyStep(id: string, facts: readonly IdentityFact[]): PlanStep {
  const customer = customerOf(id);
  return ["customer_verify", { customer_id: id, ...Object.fromEntries(facts.map((fact) => [fact, customer[fact]])) }];
}

function customerOf(id: string): CustomerRecord {
  const customer = initialTables().customers.get(id);
  if (!customer) throw new Error(`There is no customer ${id}.`);
  return customer;
}
