import { BiplaneError } from "@biplane/core";
import type { Turn, Usage } from "./agent/agent.ts";
import type { ChatMessage } from "./message.ts";
import { messageText } from "./message.ts";
import type { RowSetup } from "./row.ts";

/** Replies to the agent's messages without tool calls, in conversational rows. */
export interface SimulatedUser {
  /** Returns the user's next message, or the first one if `messages` is empty. */
  reply(messages: readonly ChatMessage[], signal: AbortSignal): Promise<UserReply>;
}

export interface UserReply {
  readonly text: string;
  /** True if the user ends the conversation. */
  readonly isLast: boolean;
  readonly usage?: Usage | undefined;
  readonly cost?: number | undefined;
}

/** Sends messages to a model and returns its reply. */
export type ChatModel = (
  messages: readonly ChatMessage[],
  options: { signal: AbortSignal; model?: string | undefined; parameters?: Readonly<Record<string, unknown>> },
) => Promise<{ text: string; usage?: Usage | undefined; cost?: number | undefined }>;

/** Makes the simulated users that rows define in `user_simulation`. All use the same model. */
export function simulatedUsers(
  model: ChatModel,
  options: { stopWords?: readonly string[] } = {},
): (setup: RowSetup) => SimulatedUser | undefined {
  const { stopWords = defaultStopWords } = options;
  return ({ simulation }) => {
    if (!simulation) return undefined;
    if (Array.isArray(simulation["script"])) return scriptedUser(simulation["script"].map(String));
    const { system_prompt: prompt, llm, llm_args: parameters } = simulation;
    if (typeof prompt !== "string" || prompt === "")
      throw new BiplaneError("INVALID_INPUT", "user_simulation needs a system_prompt that describes the user.");
    const own = Array.isArray(simulation["stop_words"]) ? simulation["stop_words"].map(String) : stopWords;
    return {
      reply: async (messages, signal) => {
        const { text, usage, cost } = await model([{ role: "system", content: prompt }, ...swapRoles(messages)], {
          signal,
          ...(typeof llm === "string" && { model: llm }),
          parameters: (parameters as Record<string, unknown> | undefined) ?? { temperature: 0 },
        });
        return { text, isLast: own.some((word) => text.includes(word)), usage, cost };
      },
    };
  };
}

/** A user that says these texts in turn, whatever the agent says, and ends the conversation with the last one. */
export function scriptedUser(script: readonly string[]): SimulatedUser {
  return {
    reply: async (messages) => {
      const said = messages.filter(({ role }) => role === "user").length;
      return { text: script[said] ?? "###STOP###", isLast: said >= script.length - 1 };
    },
  };
}

const defaultStopWords = ["###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###"];

/** The conversation with swapped roles, as the simulated user sees it. Tool calls and results are omitted. */
function swapRoles(messages: readonly ChatMessage[]): ChatMessage[] {
  const spoken = messages.flatMap((message) => {
    const text = messageText(message);
    if (message.role === "assistant" && !message.tool_calls?.length) return [{ role: "user", content: text }];
    return message.role === "user" ? [{ role: "assistant", content: text }] : [];
  });
  return spoken[0]?.role === "user" ? spoken : [{ role: "user", content: greeting }, ...spoken];
}

const greeting = "Hi! How can I help you today?";

/** The user's reply in a playback. */
export function recordedReply({ userReply, ending }: Turn): UserReply | undefined {
  return userReply && { text: messageText(userReply), isLast: ending === "user_stop" };
}
