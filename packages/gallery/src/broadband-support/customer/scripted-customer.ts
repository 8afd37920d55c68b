import type { SupportState } from "../support-state.ts";
import { useCustomerTool } from "../contact.ts";
import { statesFact } from "../states-fact.ts";
import type { SupportTask } from "../support-task.ts";
import { sayIdentity } from "./say-identity.ts";
import { understand } from "./understand.ts";
import type { CustomerAction, CustomerTopic } from "./understand.ts";

/**
 * The customer's answer, from the task alone: it does what it is asked to do, answers what it is asked about, decides
 * about proposals, and makes its later requests when the agent asks for more. The same message gets the same answer.
 */
export function scriptedReply(task: SupportTask, state: SupportState, message: string): string {
  const { topics, actions, isProposal, asksForMore, isUnclear } = understand(message);
  const answers = topics.map((topic) => answerTo(task, state, topic));
  const said = [...actions.map((action) => act(task, state, action)), ...answers.filter((each) => each !== undefined)];
  if (isProposal) said.push(decide(task, state, message));
  if (said.length === 0 && answers.length > 0) said.push("I am not sure about that.");
  if (asksForMore) said.push(askForMore(task, state, said.length > 0));
  if (said.length > 0) {
    state.memory.idle = 0;
    return [...new Set(said)].join(" ");
  }
  const waited = wait(task, state);
  return isUnclear && !state.hasLeft ? "I am not sure what you mean. What exactly do you need?" : waited;
}

function act(task: SupportTask, state: SupportState, action: CustomerAction): string {
  return task.refuses?.[action] ?? useCustomerTool(state, action);
}

function answerTo(
  { knows, refuses, customer }: SupportTask,
  { changes, caller }: SupportState,
  topic: CustomerTopic,
): string | undefined {
  const known = refuses?.[topic] ?? knows?.[topic];
  return known ?? sayIdentity(topic, changes.customers?.[customer] ?? caller) ?? usualAnswers[topic];
}

/** What a customer says about a topic that its task leaves open. */
const usualAnswers: Partial<Record<CustomerTopic, string>> = {
  order: "I do not have an order number at hand.",
  invoice: "I do not have the invoice in front of me.",
  line: "I have only the one line.",
  slot: "Any day is fine with me.",
  delivery: "To my home, please.",
  placement: "The router stands on an open cabinet.",
  reason: "I would rather not go into that.",
};

function decide({ decides = [] }: SupportTask, state: SupportState, message: string): string {
  const decision = decides.find(
    ({ about, unless = [] }) =>
      about.some((word) => statesFact(message, word)) && !unless.some((fact) => statesFact(message, fact)),
  );
  state.hasAgreed = decision?.agrees ?? true;
  return decision?.says ?? "Yes, please.";
}

function askForMore({ later = [] }: SupportTask, state: SupportState, hasAnswered: boolean): string {
  const next = later[state.memory.raised];
  if (next !== undefined) {
    state.memory.raised++;
    return next;
  }
  if (hasAnswered) return "Apart from that, nothing else.";
  state.hasLeft = true;
  return pick(goodbyes, state);
}

/** Nothing was asked. The customer waits a little, repeats its request, and leaves in the end. */
function wait({ opening }: SupportTask, state: SupportState): string {
  const idle = ++state.memory.idle;
  if (idle >= patience) {
    state.hasLeft = true;
    return "I have to go now. Goodbye.";
  }
  return idle % 2 === 1 ? pick(nods, state) : `I am not sure what you need from me. As I said: ${opening}`;
}

const patience = 6;

const nods = ["All right.", "Okay.", "I see.", "Understood."];
const goodbyes = [
  "No, that is all. Thank you, and goodbye.",
  "Nothing else, thanks. Goodbye.",
  "That was everything. Bye!",
  "No, thank you. Have a nice day.",
];

/** Varies from one customer to another, and is always the same for one. */
function pick(texts: readonly string[], { caller }: SupportState): string {
  return texts[Number(caller.id.slice(2)) % texts.length] ?? "";
}
