import { randomUUID } from "node:crypto";
import type { AuditEntry } from "@biplane/core/internal";
import type { Principal } from "@biplane/core";

/** An audit entry for an action of a person, such as `approvals/answer` or `secrets/set`. */
export function personEntry(
  action: string,
  { input, by, time = Date.now() }: { readonly input: unknown; readonly by: Principal; readonly time?: number },
): AuditEntry {
  return {
    time,
    principal: { kind: by.kind, id: by.id },
    agent: { agentId: by.id, model: undefined, requestId: randomUUID() },
    tool: action,
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
