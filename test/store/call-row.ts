import { callIdAt } from "../../packages/biplane/src/store/calls.ts";
import type { CallRow } from "../../packages/biplane/src/store/tables.ts";

/** The n-th of many calls, which differ in every column that is filtered. */
export function callRow(n: number, at: number): CallRow {
  return {
    id: `${callIdAt(at)}00000001-${String(n).padStart(7, "0")}`,
    at,
    server: n % 5 === 0 ? "game" : "shop",
    tool: ["echo", "Shout", "100%_sure", "echo_twice"][n % 4] ?? "",
    route: "mcp",
    agent_id: n % 7 === 0 ? "Ann" : "bob",
    model: null,
    request_id: String(n),
    principal_kind: "token",
    principal_id: `agent ${n % 3}`,
    session: null,
    episode: n % 6 === 0 ? "e1" : null,
    outcome: n % 4 === 1 ? "TIMEOUT" : "done",
    is_failed: n % 4 === 1 ? 1 : 0,
    message: null,
    duration_ms: n,
    waited_ms: n % 2 === 0 ? 0 : n / 2,
    preview: "{}",
    detail: '{"input":{}}',
  };
}
