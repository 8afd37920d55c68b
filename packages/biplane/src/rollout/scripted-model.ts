import { createHash } from "node:crypto";
import type { ChatModel } from "./user.ts";

/** A model for tests: the same seed and the same messages get the same one of `replies`. It costs nothing. */
export function scriptedModel(options: { readonly seed?: number; readonly replies: readonly string[] }): ChatModel {
  const { seed = 0, replies } = options;
  return async (messages, { signal }) => {
    signal.throwIfAborted();
    const text = JSON.stringify([seed, messages.map(({ role, content }) => [role, content])]);
    const draw = createHash("sha256").update(text).digest().readUInt32BE(0);
    return { text: replies[draw % replies.length] ?? "" };
  };
}

/** Replies of a scripted judge: a score in quarters. */
export const scriptedVerdicts: readonly string[] = [0, 0.25, 0.5, 0.75, 1].map((score) =>
  JSON.stringify({ score, reason: "A scripted judge drew this score." }),
);

/** Replies of a scripted user, which ends the conversation after some turns. */
export const scriptedReplies: readonly string[] = ["Please go on.", "Yes, do that.", "Thank you. ###STOP###"];
