import { createHash } from "node:crypto";
import { deserialize, serialize } from "node:v8";
import { callerOf } from "../call/caller-of.ts";
import type { LiveCall, StepResult } from "../call/live-call.ts";
import type { Done, Failed, Outcome } from "../call/outcome.ts";
import type { Scope } from "../call/scope.ts";
import { BiplaneError } from "../errors.ts";
import type { ErrorCode } from "../errors.ts";
import { isReply, reply } from "../tool/content.ts";
import type { Reply } from "../tool/content.ts";
import type { Snapshot } from "./snapshot.ts";

/** What is stored of an episode. */
export interface EpisodeRecord {
  readonly snapshot: Snapshot;
  readonly label: string | undefined;
  readonly agent: string | undefined;
  readonly startedAt: number;
  readonly fault: string | undefined;
  readonly answer: StoredAnswer | undefined;
}

/** The answer of the last step, for a client that sends the step again because it did not get it. */
export interface StoredAnswer extends Pick<Done, "value" | "content"> {
  readonly key: string;
  readonly caller: string;
  /** Of tool and input: another call must not use the same key. */
  readonly hash: string;
  /** Set if the step was made and the call failed afterwards. */
  readonly error?: { readonly code: ErrorCode; readonly message: string } | undefined;
  /** True if `value` was made with `reply`, which JSON does not keep. */
  readonly isReply: boolean;
  readonly step: StepResult | undefined;
}

/** What to keep of the outcome of a step, if the call may be sent again. */
export function answerOf(call: LiveCall, outcome: Outcome): StoredAnswer | undefined {
  const { request, principal, step } = call;
  const { idempotencyKey: key } = request;
  if (key === undefined || outcome.status === "suspended") return undefined;
  const common = { key, caller: callerOf(principal), hash: hashOf(call), step };
  if (outcome.status === "done") {
    const { value, content } = outcome;
    return { ...common, value, content, isReply: isReply(value) };
  }
  const { code, message } = outcome.error;
  return { ...common, value: null, content: [], isReply: false, error: { code, message } };
}

/** The kept answer to a call. Throws if its key was used for another call. */
export function recallAnswer(call: LiveCall, answer: StoredAnswer | undefined): RecalledAnswer | undefined {
  const { request, principal } = call;
  if (!answer || answer.key !== request.idempotencyKey || answer.caller !== callerOf(principal)) return undefined;
  if (answer.hash !== hashOf(call))
    throw new BiplaneError("CONFLICT", "The last step had the same key, and another tool or input. Use another key.");
  return { outcome: outcomeOf(answer), step: answer.step };
}

export type RecalledAnswer = NonNullable<ReturnType<Scope["recall"]>>;

function outcomeOf({ value, content, isReply: wasReply, error }: StoredAnswer): Done | Failed {
  if (error) return { status: "failed", error: new BiplaneError(error.code, error.message) };
  return { status: "done", value: wasReply ? reply(content, value as Reply) : value, content };
}

function hashOf({ request: { tool, input } }: LiveCall): string {
  return createHash("sha256")
    .update(`${tool} ${JSON.stringify(input)}`)
    .digest("base64");
}

export function encodeRecord(record: EpisodeRecord): string {
  return isJson(record) ? JSON.stringify(record) : `${binaryMark}${serialize(record).toString("base64")}`;
}

export function decodeRecord(data: string): EpisodeRecord {
  if (!data.startsWith(binaryMark)) return JSON.parse(data) as EpisodeRecord;
  return deserialize(Buffer.from(data.slice(binaryMark.length), "base64")) as EpisodeRecord;
}

/** Never the beginning of JSON text. */
const binaryMark = "v8:";

/** True if JSON keeps the value as it is. It would change -0, NaN, dates, maps and elements that are undefined. */
function isJson(value: unknown, isElement = false): boolean {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0);
    case "string":
    case "boolean":
      return true;
    case "undefined":
      return !isElement;
    case "object": {
      if (value === null) return true;
      if (Array.isArray(value)) return value.every((each) => isJson(each, true));
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype !== Object.prototype && prototype !== null) return false;
      for (const key in value) {
        if (key === "toJSON" || key === "__proto__" || !isJson((value as Record<string, unknown>)[key])) return false;
      }
      return true;
    }
    default:
      return false;
  }
}
