import { BiplaneError } from "../errors.ts";
import type { ErrorCode } from "../errors.ts";
import type { AgentContext, Principal, Route } from "../tool/call.ts";
import type { Outcome } from "./outcome.ts";
import type { CallState } from "./call-state.ts";
import { recordedInput } from "./record.ts";

/** Receives an entry for every call. If `record` returns a promise, the call waits for it. */
export interface AuditSink {
  record(entry: AuditEntry): void | Promise<void>;
  /** Set while no entry can be kept and no call may run without one. */
  readonly fault?: BiplaneError | undefined;
}

/** The audit record of one call. Sinks may read it later, so nothing in it changes. */
export interface AuditEntry {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly principal: Pick<Principal, "kind" | "id" | "identity">;
  readonly agent: Pick<AgentContext, "agentId" | "model" | "requestId">;
  readonly tool: string;
  readonly route: Route;
  readonly session: string | undefined;
  readonly episode: string | undefined;
  /** Redacted. */
  readonly input: unknown;
  /** The rules that decided, in the order of the policies. */
  readonly rules?: readonly string[] | undefined;
  /** The approver, if the call needed approval. */
  readonly approvedBy: string | undefined;
  /** True if a policy asked, and the call ended before anybody approved it. */
  readonly asked?: boolean;
  /** True if `run` was called. A tool and a mounted server can fail with any code, so the code does not tell. */
  readonly ran: boolean;
  readonly outcome: AuditOutcome;
  /** The error message, if the call failed. */
  readonly message: string | undefined;
  /** From the request to the outcome, with `waitedMs`. */
  readonly durationMs: number;
  /** Time that the call waited for people, if it did. */
  readonly waitedMs?: number | undefined;
}

export type AuditOutcome = "done" | "suspended" | ErrorCode;

/** While the audit log must be kept and cannot be, refuses a call before it runs. */
export function checkAudit({ host }: CallState): void {
  if (!host.audit?.fault) return;
  const message = "The audit log cannot be written, so no call runs. Calls run again as soon as it can.";
  throw new BiplaneError("INTERNAL", message, { cause: host.audit.fault });
}

/** Records the call. If a sink that must be durable fails, the call fails too. */
export function audit(state: CallState, outcome: Outcome): Outcome | Promise<Outcome> {
  const { host } = state;
  if (!host.audit) return outcome;
  const kept = host.audit.record(entryOf(state, outcome));
  if (!kept) return outcome;
  return kept.then(
    () => outcome,
    (fault: unknown): Outcome => {
      host.report(fault, "the audit log");
      return {
        status: "failed",
        error: new BiplaneError("INTERNAL", "The call could not be written to the audit log."),
      };
    },
  );
}

function entryOf(state: CallState, outcome: Outcome): AuditEntry {
  const { call, approvedBy, startedAt } = state;
  const { route, session, episode } = call;
  const isFailed = outcome.status === "failed";
  const isRateLimited = isFailed && outcome.error.code === "RATE_LIMITED";
  return {
    time: Date.now(),
    principal: call.principal,
    ...claimedBy(state),
    route,
    session,
    episode,
    // Rate-limited calls must not fill the disk with their input.
    input: !call.hasRun && isRateLimited ? null : recordedInput(state),
    rules: rulesOf(state),
    approvedBy,
    asked: state.asked !== undefined && approvedBy === undefined,
    ran: call.hasRun,
    outcome: isFailed ? outcome.error.code : outcome.status,
    message: isFailed ? outcome.error.message : undefined,
    durationMs: performance.now() - startedAt,
    waitedMs: call.waitedMs || undefined,
  };
}

/** Names of rules are the operator's, except that code may name one after the input. */
function rulesOf({ call: { redactor }, rules }: CallState): readonly string[] | undefined {
  return redactor && !redactor.isEmpty ? rules?.map((rule) => redactor.text(rule)) : rules;
}

/** Caller-supplied text (agent fields, unknown tool names) may contain a secret. */
function claimedBy({ call, tool: found }: CallState): Pick<AuditEntry, "agent" | "tool"> {
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
