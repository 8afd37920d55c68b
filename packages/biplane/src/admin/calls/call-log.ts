import type { AuditOutcome, LiveCall, Outcome, StepResult, CallTimeline } from "@biplane/core/internal";
import type { AgentContext, Measured, Meter, Principal, Route } from "@biplane/core";
import { callIdAt, isCallId } from "../../store/calls.ts";
import { callMatcher } from "./call-filter.ts";
import type { CallFilter } from "./call-filter.ts";
import { boundedJson, boundedText } from "./bounded-json.ts";
import { toLoggedResult, loggedSize } from "./call-result.ts";
import type { LoggedResult } from "./call-result.ts";
import { CallFigures } from "../overview/figures.ts";

export interface CallLogOptions {
  /** Maximum calls, fewer if they are large (default: 5,000). */
  readonly maxCalls?: number;
  /** Maximum characters per input and per result (default: 16,000). */
  readonly maxCharacters?: number;
  /** Maximum characters of all calls together (default: about 32 million). */
  readonly maxTotalCharacters?: number;
  readonly now?: () => number;
}

/** A logged call: redacted and shortened. */
export interface LoggedCall {
  readonly sequence: number;
  readonly id: string;
  readonly at: number;
  readonly server: string;
  readonly tool: string;
  readonly route: Route;
  readonly agent: Pick<AgentContext, "agentId" | "model" | "requestId">;
  readonly principal: Pick<Principal, "kind" | "id">;
  readonly session: string | undefined;
  readonly episode: string | undefined;
  readonly outcome: AuditOutcome;
  readonly message: string | null;
  readonly durationMs: number;
  /** The part of `durationMs` that the call waited for people. */
  readonly waitedMs: number;
  /** As JSON. */
  readonly input: string;
  readonly result: LoggedResult | null;
  readonly timeline: CallTimeline | undefined;
  readonly step: StepResult | undefined;
}

/** Receives each call and its full, redacted outcome. */
export type CallListener = (call: LoggedCall, outcome: Outcome) => void;

/** The most recent calls of all servers, in memory. `CallHistory` stores them; the audit log is the record. */
export class CallLog {
  readonly figures: CallFigures;
  readonly #maxCalls: number;
  readonly #maxCharacters: number;
  readonly #maxTotalCharacters: number;
  readonly #now: () => number;
  /** Distinguishes this process's call ids from those of others and of earlier starts. */
  readonly #tag = crypto.randomUUID().slice(0, 8);
  /** A ring buffer, indexed by sequence number modulo its length. */
  readonly #calls: (LoggedCall | undefined)[] = [];
  readonly #listeners = new Set<CallListener>();
  /** Sequence numbers of the oldest call and of the next one. */
  #first = 0;
  #next = 0;
  #characters = 0;

  constructor(options: CallLogOptions = {}) {
    const { maxCalls = 5000, maxCharacters = 16_000, maxTotalCharacters = 32_000_000, now = Date.now } = options;
    this.#maxCalls = maxCalls;
    this.#maxCharacters = maxCharacters;
    this.#maxTotalCharacters = maxTotalCharacters;
    this.#now = now;
    this.figures = new CallFigures(now);
  }

  /** The meter of a server. */
  meterOf(server: string): Meter {
    return {
      wantsTimeline: true,
      around: ({ call }, perform) => {
        this.figures.begin(call);
        const outcome = perform();
        if (outcome instanceof Promise) return outcome.finally(() => this.figures.leave(call));
        this.figures.leave(call);
        return outcome;
      },
      end: (measured) => this.#record(server, measured),
    };
  }

  find(id: string): LoggedCall | undefined {
    const sequence = this.sequenceOf(id);
    return sequence === undefined ? undefined : this.#at(sequence);
  }

  /** The sequence number in a call id; undefined if the id is not from this process. */
  sequenceOf(id: string): number | undefined {
    const [, tag, number = ""] = id.split("-");
    return isCallId(id) && tag === this.#tag ? Number.parseInt(number, 36) : undefined;
  }

  /** Newest first, and whether there are more. */
  list(
    filter: CallFilter,
    { before = this.#next, limit }: { before?: number; limit: number },
  ): { calls: LoggedCall[]; isMore: boolean } {
    const fits = callMatcher(filter);
    const calls: LoggedCall[] = [];
    for (let at = Math.min(before, this.#next) - 1; at >= this.#first; at--) {
      const call = this.#at(at);
      if (!call || !fits(call)) continue;
      if (calls.length === limit) return { calls, isMore: true };
      calls.push(call);
    }
    return { calls, isMore: false };
  }

  /** The newest calls that fit. */
  newest(limit: number, fits: (call: LoggedCall) => boolean): LoggedCall[] {
    return this.since(this.#first, fits, limit).calls;
  }

  /** The current position. */
  get position(): number {
    return this.#next;
  }

  /** The position that long ago. */
  positionAt(agoMs: number): number {
    const since = this.#now() - agoMs;
    let at = this.#next;
    while ((this.#at(at - 1)?.at ?? -Infinity) > since) at--;
    return at;
  }

  /** The newest calls since a position, and how many more there were, including those no longer in memory. */
  since(
    position: number,
    fits: (call: LoggedCall) => boolean,
    limit: number,
  ): { calls: LoggedCall[]; skipped: number } {
    const calls: LoggedCall[] = [];
    let skipped = Math.max(0, this.#first - position);
    for (let at = this.#next - 1; at >= Math.max(position, this.#first); at--) {
      const call = this.#at(at);
      if (!call || !fits(call)) continue;
      if (calls.length < limit) calls.push(call);
      else skipped++;
    }
    return { calls, skipped };
  }

  /** Subscribes to calls. Returns an unsubscribe function. */
  onCall(listener: CallListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #at(sequence: number): LoggedCall | undefined {
    return sequence >= this.#first && sequence < this.#next ? this.#calls[sequence % this.#maxCalls] : undefined;
  }

  #record(server: string, measured: Measured): void {
    const { outcome } = measured;
    const isAsked = outcome.status === "failed" && outcome.error.code === "APPROVAL_PENDING";
    this.figures.end(outcome.status === "failed", { isAsked });
    const sequence = this.#next++;
    const call = this.#describe(server, measured, sequence);
    if (this.#next - this.#first > this.#maxCalls) this.#dropOldest();
    this.#calls[sequence % this.#maxCalls] = call;
    this.#characters += weightOf(call);
    while (this.#characters > this.#maxTotalCharacters && this.#first < sequence) this.#dropOldest();
    for (const listener of this.#listeners) listener(call, outcome);
  }

  #dropOldest(): void {
    const at = this.#first++ % this.#maxCalls;
    const oldest = this.#calls[at];
    if (oldest) this.#characters -= weightOf(oldest);
    this.#calls[at] = undefined;
  }

  #describe(server: string, measured: Measured, sequence: number): LoggedCall {
    const { call, tool, outcome, durationMs, waitedMs, timeline } = measured;
    const { redactor } = call;
    const clean = redactor && !redactor.isEmpty ? (text: string) => redactor.text(text) : (text: string) => text;
    const { agentId, model, requestId } = call.agent;
    const isFailed = outcome.status === "failed";
    timeline?.redact((reason) => boundedText(clean(reason), 1000));
    const at = this.#now();
    const isRateLimited = !call.hasRun && isFailed && outcome.error.code === "RATE_LIMITED";
    return {
      sequence,
      id: `${callIdAt(at)}${this.#tag}-${sequence.toString(36).padStart(7, "0")}`,
      at,
      server,
      // Unknown tool names and agent fields are chosen by the caller.
      tool: tool ? call.tool : boundedText(clean(call.tool), 128),
      route: call.route,
      agent: {
        agentId: boundedText(clean(agentId), 256),
        model: model === undefined ? undefined : boundedText(clean(model), 256),
        requestId: boundedText(clean(requestId), 256),
      },
      principal: { kind: call.principal.kind, id: boundedText(clean(call.principal.id), 256) },
      session: call.session,
      episode: call.episode,
      outcome: isFailed ? outcome.error.code : outcome.status,
      message: isFailed ? boundedText(outcome.error.message, 1000) : null,
      durationMs,
      waitedMs,
      input: isRateLimited ? "null" : inputJson(call, this.#maxCharacters),
      result: outcome.status === "done" ? toLoggedResult(outcome, this.#maxCharacters) : null,
      timeline,
      step: call.step,
    };
  }
}

/** Approximate size of a call without input and result. */
const overhead = 1500;

export function weightOf({ input, result, message }: LoggedCall): number {
  return overhead + input.length + (result ? loggedSize(result) : 0) + (message?.length ?? 0);
}

/** The call's input, or "…" if it cannot be redacted. */
function inputJson({ redactor, request: { input } }: LiveCall, maxLength: number): string {
  try {
    return boundedJson(redactor ? redactor.value(input) : input, maxLength);
  } catch {
    return '"…"';
  }
}
