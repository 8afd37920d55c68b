import { BiplaneError } from "../errors.ts";
import type { Usage } from "./agent/agent.ts";
import type { Message } from "./message.ts";
import { textOf } from "./message.ts";
import type { RowSetup } from "./row.ts";

/** The other side of a conversation: what is said to the agent when it has spoken and called nothing. */
export interface SimulatedUser {
  /** What the user says next, or the first thing where nobody has spoken yet. */
  reply(messages: readonly Message[], signal: AbortSignal): Promise<UserReply>;
}

export interface UserReply {
  readonly text: string;
  /** The user is done. */
  readonly isLast: boolean;
  readonly usage?: Usage | undefined;
  readonly cost?: number | undefined;
}

/** Asks a model for one message. */
export type Speaker = (
  messages: readonly Message[],
  options: { signal: AbortSignal; model?: string | undefined; parameters?: Readonly<Record<string, unknown>> },
) => Promise<{ text: string; usage?: Usage | undefined; cost?: number | undefined }>;

/** Makes the users that rows ask for in `user_simulation`, all played by one model. */
export function simulatedUsers(
  speak: Speaker,
  options: { stopWords?: readonly string[] } = {},
): (setup: RowSetup) => SimulatedUser | undefined {
  const { stopWords = endWords } = options;
  return ({ simulation }) => {
    if (!simulation) return undefined;
    const { system_prompt: prompt, llm, llm_args: parameters } = simulation;
    if (typeof prompt !== "string" || prompt === "")
      throw new BiplaneError("INVALID_INPUT", "user_simulation needs a system_prompt that says who the user is");
    const own = Array.isArray(simulation["stop_words"]) ? simulation["stop_words"].map(String) : stopWords;
    return {
      reply: async (messages, signal) => {
        const { text, usage, cost } = await speak([{ role: "system", content: prompt }, ...flipped(messages)], {
          signal,
          ...(typeof llm === "string" && { model: llm }),
          parameters: (parameters as Record<string, unknown> | undefined) ?? { temperature: 0 },
        });
        return { text, isLast: own.some((word) => text.includes(word)), usage, cost };
      },
    };
  };
}

const endWords = ["###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###"];

/** The conversation as the user sees it: the agent is the one who asks. Calls and their answers are not its business. */
function flipped(messages: readonly Message[]): Message[] {
  const spoken = messages.flatMap((message) => {
    const text = textOf(message);
    if (message.role === "assistant" && !message.tool_calls?.length) return [{ role: "user", content: text }];
    return message.role === "user" ? [{ role: "assistant", content: text }] : [];
  });
  return spoken[0]?.role === "user" ? spoken : [{ role: "user", content: greeting }, ...spoken];
}

const greeting = "Hi! How can I help you today?";
