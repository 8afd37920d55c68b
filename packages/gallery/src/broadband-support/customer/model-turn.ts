import { askUser, messagesForUser } from "../../simulated-user.ts";
import type { UserSimulator, UserTool } from "../../simulated-user.ts";
import { useCustomerTool } from "../contact.ts";
import { customerTools } from "../home-network.ts";
import type { SupportState } from "../support-state.ts";
import type { SupportTask } from "../support-task.ts";

interface ModelOptions {
  readonly user: UserSimulator;
  readonly signal: AbortSignal;
}

/** Lets a simulator act as the customer until it says something. Throws if it fails. */
export async function modelReply(task: SupportTask, state: SupportState, options: ModelOptions): Promise<string> {
  const prompt = customerPrompt(task, state);
  for (let call = 0; call < maxCalls; call++) {
    const messages = messagesForUser(prompt, state.events);
    const { text = "", calls = [] } = await askUser(options.user, { messages, tools, signal: options.signal });
    for (const { name } of calls) useCustomerTool(state, name);
    if (calls.length > 0) continue;
    const said = text.replaceAll(stopWord, "").trim();
    if (text.includes(stopWord)) state.hasLeft = true;
    if (yes.test(said)) state.hasAgreed = true;
    else if (no.test(said)) state.hasAgreed = false;
    return said === "" ? "Goodbye." : said;
  }
  throw new Error(`The simulated customer used its tools ${maxCalls} times without a word.`);
}

const maxCalls = 12;
const stopWord = "###STOP###";
const yes =
  /\b(yes|yeah|yep|sure|agreed|i agree|go ahead|please do|sounds good|that is fine|that's fine|that works)\b/i;
const no = /\b(no|don't|do not|rather not|not (agree|accept))\b/i;

const tools: readonly UserTool[] = Object.entries(customerTools).map(([name, { description }]) => ({
  type: "function",
  function: { name, description, parameters: { type: "object", properties: {}, additionalProperties: false } },
}));

/** The prompt of a model that plays the customer. */
export function customerPrompt(task: SupportTask, { caller }: SupportState): string {
  const { persona, knows = {}, refuses = {}, decides = [], later = [] } = task;
  const list = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join("\n") || "- nothing";
  const facts = Object.entries(knows).map(([topic, text]) => `${topic}: ${text}`);
  const identity = `name ${caller.name}, customer number ${caller.id}, email ${caller.email}, phone ${caller.phone}, postcode ${caller.postcode}, date of birth ${caller.birth_date}, last four digits of the card ${caller.card_last4}`;
  return `You play a person who contacts Larkspur Broadband, an internet provider. You are the customer, never the agent. ${persona}

Write short messages, as in a chat. Say only what you are asked for. Invent nothing: if you do not know something, say so. Use your tools only if the agent asks you to do something at your router, and report what they return.

The account: ${identity}. Where the list below differs from the account, the list is right.

What you know, by topic:
${list(facts)}

What you refuse, and what you say then:
${list(Object.entries(refuses).map(([what, text]) => `${what}: ${text}`))}

How you answer proposals (accept others that serve your request):
${list(decides.map(({ about, unless = [], says }) => `about ${about.join(", ")}${unless.length > 0 ? `, unless it is ${unless.join(", ")}` : ""}: ${says}`))}

What you ask for only when the agent asks whether there is anything else, one after the other:
${list(later)}

When all of it is settled or declined, and the agent asks whether there is anything else, thank the agent and end your message with ${stopWord}.`;
}
