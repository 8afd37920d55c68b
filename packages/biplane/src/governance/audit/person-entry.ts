import { randomUUID } from "node:crypto";
import type { AuditEntry } from "@biplane/core/internal";
import type { Principal } from "@biplane/core";

/** An audit entry for an action of a person, such as `approvals/answer` or `secrets/set`. */
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
    ran: false,
    outcome: "done",
    message: undefined,
    durationMs: 0,
  };
}
