import { daysBetween, contactDay } from "./catalogue.ts";
import { statesFact } from "./states-fact.ts";
import { policyLimits } from "./policy.ts";
import type { SupportRecords } from "./records.ts";
import type { PolicyViolation, SupportState } from "./support-state.ts";
import type { SupportTask } from "./support-task.ts";

interface CheckedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly records: SupportRecords;
}

/** The rules that a call would break if it succeeded. */
export function findViolations(task: SupportTask, state: SupportState, call: CheckedCall): PolicyViolation[] {
  const { name, input, records } = call;
  const found: PolicyViolation[] = [];
  const add = (rule: PolicyViolation["rule"], detail: string) => found.push({ rule, detail: `${name}: ${detail}` });
  const owner = ownerOf(records, input);
  if (needsIdentity(call) && owner !== undefined && !state.checks.verified.includes(owner))
    add("identity", `${owner} was not verified`);
  if (name === "contact_transfer" && input["team"] === "care" && !hasFound(state, owner))
    add("identity", "the account was not looked up");
  if (name === "customer_verify" && !factsOf(input).every((fact) => hasSaid(state, fact)))
    add("identity", "the caller did not give these facts");
  if (needsAgreement(call) && !state.hasAgreed) add("agreement", "the customer had not agreed");
  const sum = Number(input["amount"]);
  if (name === "credit_add" && sum > policyLimits.creditMax) add("limit", `${sum} is above ${policyLimits.creditMax}`);
  if (name === "invoice_refund") {
    if (sum > policyLimits.refundMax) add("limit", `${sum} is above ${policyLimits.refundMax}`);
    const invoice = records.find("invoices", String(input["invoice_id"]));
    if (invoice && daysBetween(invoice.issued_on, contactDay) > policyLimits.refundDays)
      add("limit", `${invoice.id} is older than ${policyLimits.refundDays} days`);
  }
  if (name === "visit_book" && !hasFoundFault(state, input["line_id"])) add("fault", "no line test found a line_fault");
  if (task.forbids?.includes(name)) add("task", "the policy does not allow it in this contact");
  return found;
}

/** Before the check of identity, nothing private of an account may be said, unless the customer said it first. */
export function messageViolations(state: SupportState, message: string): PolicyViolation[] {
  const { checks, caller } = state;
  if (checks.verified.includes(caller.id)) return [];
  const { email, phone, street, postcode, birth_date: birthDate } = caller;
  return [email, phone, street, postcode, birthDate]
    .filter((each) => statesFact(message, each) && !hasSaid(state, each))
    .map((each) => ({ rule: "privacy", detail: `said ${each} before the check of identity` }));
}

function needsIdentity({ name, input }: CheckedCall): boolean {
  if (name === "contact_transfer") return input["team"] !== "care";
  if (name === "contact_close") return input["outcome"] !== "unverified";
  return !["customer_find", "customer_verify"].includes(name);
}

function hasFound({ events }: SupportState, customer: string | undefined): boolean {
  return events.some(
    (event) =>
      "call" in event && event.call.name === "customer_find" && event.call.content.includes(JSON.stringify(customer)),
  );
}

function factsOf(input: CheckedCall["input"]): string[] {
  return ["postcode", "birth_date", "card_last4"].filter((name) => name in input).map((name) => String(input[name]));
}

function hasSaid({ events }: SupportState, fact: string): boolean {
  return events.some((event) => "text" in event && event.side === "user" && statesFact(event.text, fact));
}

function needsAgreement({ name, input }: CheckedCall): boolean {
  if (name === "addon_set") return input["action"] === "add";
  if (name === "order_create") return input["reason"] === "purchase";
  return ["plan_change", "line_pause", "line_cancel", "agreement_create"].includes(name);
}

/** The customer whose account a call concerns. */
function ownerOf(records: SupportRecords, input: Readonly<Record<string, unknown>>): string | undefined {
  const id = (name: string) => String(input[name]);
  if (typeof input["customer_id"] === "string") return input["customer_id"];
  if ("invoice_id" in input) return records.find("invoices", id("invoice_id"))?.customer_id;
  if ("order_id" in input) return records.find("orders", id("order_id"))?.customer_id;
  const line = "visit_id" in input ? records.find("visits", id("visit_id"))?.line_id : id("line_id");
  return line === undefined ? undefined : records.find("lines", line)?.customer_id;
}

function hasFoundFault({ events }: SupportState, line: unknown): boolean {
  return events.some(
    (event) =>
      "call" in event &&
      event.call.name === "line_test" &&
      event.call.arguments["line_id"] === line &&
      event.call.content.includes("line_fault"),
  );
}
