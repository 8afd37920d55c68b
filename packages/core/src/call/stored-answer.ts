import { createHash } from "node:crypto";
import { BiplaneError } from "../errors.ts";
import type { ErrorCode } from "../errors.ts";
import { isReply, reply } from "../tool/content.ts";
import type { Reply } from "../tool/content.ts";
import { callerOf } from "./caller-of.ts";
import type { LiveCall, StepResult } from "./live-call.ts";
import type { Done, Failed, Outcome } from "./outcome.ts";

/** The answer to a call, for a client that sends the call again because it did not get it. */
export interface StoredAnswer extends Pick<Done, "value" | "content"> {
  readonly key: string;
  readonly caller: string;
  /** Of tool and input: another call must not use the same key. */
  readonly hash: string;
  /** Set if the tool ran and the call failed. */
  readonly error?: { readonly code: ErrorCode; readonly message: string } | undefined;
  /** True if `value` was made with `reply`, which JSON does not keep. */
  readonly isReply: boolean;
  readonly step: StepResult | undefined;
}

/** What a call that was made before gets. */
export interface RecalledAnswer {
  readonly outcome: Done | Failed;
  readonly step: StepResult | undefined;
}

/** What to keep of an outcome, if the call may be sent again. */
export function answerOf(call: LiveCall, outcome: Outcome, maxLength = 2 ** 20): StoredAnswer | undefined {
  const { principal, step } = call;
  const key = keyOf(call);
  if (key === undefined || outcome.status === "suspended") return undefined;
  const common = { key, caller: callerOf(principal), hash: callHash(call), step };
  if (outcome.status === "done") {
    const { value, content } = outcome;
    return bounded({ ...common, value, content, isReply: isReply(value) }, maxLength);
  }
  const { code, message } = outcome.error;
  return { ...common, value: null, content: [], isReply: false, error: { code, message } };
}

/** What marks the tries of a call. In an episode, that can be the number of the step. */
export function keyOf(call: LiveCall): string | undefined {
  return call.scope ? stepKeyOf(call) : call.request.idempotencyKey;
}

/** The same for a call that is known to be made in an episode. */
export function stepKeyOf({ request: { idempotencyKey, expectedStep } }: LiveCall): string | undefined {
  if (idempotencyKey !== undefined) return `key ${idempotencyKey}`;
  return expectedStep === undefined ? undefined : `step ${expectedStep}`;
}

/** The answer to a call. Throws if it was kept for another one. */
export function recallAnswer(call: LiveCall, answer: StoredAnswer): RecalledAnswer {
  if (answer.hash !== callHash(call)) throw keyOfAnother();
  return { outcome: outcomeOf(answer), step: answer.step };
}

export function keyOfAnother(): BiplaneError {
  return new BiplaneError("CONFLICT", "An earlier call had the same key, and another tool or input. Use another key.");
}

/** Of tool and input. */
export function callHash({ request: { tool, input } }: LiveCall): string {
  return createHash("sha256")
    .update(`${tool} ${JSON.stringify(input)}`)
    .digest("base64");
}

function outcomeOf({ value, content, isReply: wasReply, error }: StoredAnswer): Done | Failed {
  if (error) return { status: "failed", error: new BiplaneError(error.code, error.message) };
  return { status: "done", value: wasReply ? reply(content, value as Reply) : value, content };
}

/** A very long answer is not kept, only that there was one. */
function bounded(answer: StoredAnswer, maxLength: number): StoredAnswer {
  if (JSON.stringify([answer.value, answer.content]).length <= maxLength) return answer;
  const message = "The call was made. Its answer was too long to be kept for a second try.";
  return { ...answer, value: null, content: [], isReply: false, error: { code: "CONFLICT", message } };
}
