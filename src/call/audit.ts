import { BiplaneError } from "../errors.ts";
import type { ErrorCode } from "../errors.ts";
import type { AgentContext, Principal, Route } from "../tool/call.ts";
import type { Outcome } from "./outcome.ts";
import type { Passage } from "./passage.ts";
import { recordedInput } from "./record.ts";

/** Keeps a line of every call; gives a promise where the call is to wait until it is kept. */
export interface AuditSink {
  record(entry: AuditEntry): void | Promise<void>;
}

/** What one call came to. It is read when the log is written, a moment later: nothing in it may change. */
export interface AuditEntry {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly principal: Pick<Principal, "kind" | "id">;
  readonly agent: Pick<AgentContext, "agentId" | "model" | "requestId">;
  readonly tool: string;
  readonly route: Route;
  readonly session: string | undefined;
  readonly episode: string | undefined;
  /** Already without secrets. */
  readonly input: unknown;
  /** Who was asked and said yes. */
  readonly approvedBy: string | undefined;
  readonly outcome: AuditOutcome;
  /** What an error said. */
  readonly message: string | undefined;
  readonly durationMs: number;
}

export type AuditOutcome = "done" | "suspended" | ErrorCode;

/** Records the call. One that must be kept and cannot be is told so: what is not on record did not happen in order. */
export function audit(passage: Passage, outcome: Outcome): Outcome | Promise<Outcome> {
  const { body } = passage;
  if (!body.audit) return outcome;
  const kept = body.audit.record(entryOf(passage, outcome));
  if (!kept) return outcome;
  return kept.then(
    () => outcome,
    (fault: unknown): Outcome => {
      body.report(fault, "the audit log");
      return { status: "failed", error: new BiplaneError("INTERNAL", "The call could not be recorded") };
    },
  );
}

function entryOf(passage: Passage, outcome: Outcome): AuditEntry {
  const { call, approvedBy, start, startedAt } = passage;
  const { route, session, episode } = call;
  const isFailed = outcome.status === "failed";
  return {
    time: Date.now(),
    principal: call.principal,
    ...claimedBy(passage),
    route,
    session,
    episode,
    // What is refused for coming too often must not fill the disk.
    input: isFailed && outcome.error.code === "RATE_LIMITED" ? null : start ? start.input : recordedInput(call),
    approvedBy,
    outcome: isFailed ? outcome.error.code : outcome.status,
    message: isFailed ? outcome.error.message : undefined,
    durationMs: performance.now() - startedAt,
  };
}

/** What a caller says of itself, and a name that no tool has, are the caller's own words: they may be a secret. */
function claimedBy({ call, tool: found }: Passage): Pick<AuditEntry, "agent" | "tool"> {
  const { agent, tool, redactor } = call;
  if (!redactor || redactor.isEmpty) return { agent, tool };
  const { agentId, model, requestId } = agent;
  const clean = {
    ...agent,
    agentId: redactor.text(agentId),
    model: model === undefined ? undefined : redactor.text(model),
    requestId: redactor.text(requestId),
  };
  return { agent: clean, tool: found ? tool : redactor.text(tool) };
}
