import { randomUUID } from "node:crypto";
import type { AuditEntry } from "../../call/audit.ts";
import type { Principal } from "../../tool/call.ts";

/** What a person did, as a line of the log: `approvals/answer`, `secrets/set`. */
export function personEntry(what: string, input: unknown, by: Principal, time = Date.now()): AuditEntry {
  return {
    time,
    principal: { kind: by.kind, id: by.id },
    agent: { agentId: by.id, model: undefined, requestId: randomUUID() },
    tool: what,
    route: "people",
    session: undefined,
    episode: undefined,
    input,
    approvedBy: undefined,
    outcome: "done",
    message: undefined,
    durationMs: 0,
  };
}
