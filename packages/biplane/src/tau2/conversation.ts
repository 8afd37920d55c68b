import { messageOf } from "@biplane/core/internal";
import { askUser, messagesForUser } from "@biplane/gallery";
import type { UserSimulator, UserTool, UserView } from "@biplane/gallery";
import { callDomainTool } from "./call-domain.ts";
import type { DomainResult, Domain, DomainCall, Tau2Task } from "./domain.ts";
import type { Grade } from "./grade.ts";
import { userPrompt } from "./scenario.ts";

/** An episode of a customer-service domain: plain data. */
export interface Conversation {
  readonly taskId: string;
  readonly database: unknown;
  /** What both sides said and called, in order. */
  readonly events: ConversationEvent[];
  /** Hand-overs between agent, user and environment. */
  handOvers: number;
  errors: number;
  end: ConversationEnd | undefined;
  grade: Grade | undefined;
}

export type ConversationEvent =
  | { readonly side: "assistant" | "user"; readonly text: string }
  | { readonly side: "assistant" | "user"; readonly call: DomainCall & DomainResult };

export interface ConversationEnd {
  readonly reason: "user_stop" | "max_steps" | "too_many_errors" | "user_error" | "evaluator_error";
  /** Why the user stopped: satisfied, to be transferred, or because the scenario has no answer. */
  readonly detail?: string;
}

export const greeting = "Hi! How can I help you today?";

/** Calls a tool for one side, and records it. The call and its result are two hand-overs. */
export function makeCall(domain: Domain, conversation: Conversation, call: DomainCall): DomainResult {
  const result = callDomainTool(domain, conversation.database, call);
  conversation.events.push({ side: call.requestor, call: { ...call, ...result } });
  conversation.handOvers += 2;
  if (result.isError) conversation.errors++;
  return result;
}

interface UserOptions {
  readonly task: Tau2Task;
  readonly user: UserSimulator;
  readonly limits: TurnLimits;
  readonly signal: AbortSignal;
}

export interface TurnLimits {
  readonly maxSteps: number;
  readonly maxErrors: number;
}

/** Lets the user act until it says something. An empty turn is asked for once more. Returns what it said. */
export async function userTurn(domain: Domain, conversation: Conversation, options: UserOptions): Promise<string> {
  for (;;) {
    const { text, calls = [] } = await askUser(options.user, seenByUser(domain, conversation, options));
    if (calls.length > 0) {
      for (const { name, arguments: input } of calls)
        makeCall(domain, conversation, { name, arguments: input, requestor: "user" });
      checkLimits(conversation, options.limits);
      if (conversation.end) return "";
      continue;
    }
    const said = text ?? "";
    conversation.events.push({ side: "user", text: said });
    conversation.handOvers++;
    const stop = Object.keys(stopTokens).find((token) => said.includes(token));
    if (stop !== undefined) conversation.end = { reason: "user_stop", detail: stopTokens[stop] ?? stop };
    else checkLimits(conversation, options.limits);
    return said;
  }
}

const stopTokens: Readonly<Record<string, string>> = {
  "###STOP###": "stop",
  "###TRANSFER###": "transfer",
  "###OUT-OF-SCOPE###": "out_of_scope",
};

/** The limits hold whenever nobody waits for a tool. */
export function checkLimits(conversation: Conversation, { maxSteps, maxErrors }: TurnLimits): void {
  if (conversation.handOvers >= maxSteps) conversation.end = { reason: "max_steps" };
  if (conversation.errors >= maxErrors) conversation.end = { reason: "too_many_errors" };
}

function seenByUser(domain: Domain, conversation: Conversation, { task, signal }: UserOptions): UserView {
  const prompt = userPrompt(domain.userGuidelines, task);
  return { messages: messagesForUser(prompt, conversation.events), tools: toolsOfUser(domain), signal };
}

function toolsOfUser({ tools }: Domain): UserTool[] {
  return Object.entries(tools.user).map(([name, { description, parameters }]) => ({
    type: "function",
    function: { name, description, parameters: schemaOf(parameters) },
  }));
}

/** The JSON Schema of a tool's input. */
export function schemaOf(parameters: Readonly<Record<string, object>>) {
  return {
    type: "object" as const,
    properties: parameters,
    required: Object.keys(parameters).filter((name) => !("default" in (parameters[name] ?? {}))),
    additionalProperties: false,
  };
}

/** A failure of the simulator ends the episode, and is masked: it says nothing about the agent. */
export function endWithUserError(conversation: Conversation, error: unknown): void {
  conversation.end = { reason: "user_error", detail: messageOf(error) };
}
