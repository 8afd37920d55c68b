import type { JSX } from "preact";
import type { CallSummary } from "../../../../packages/biplane/src/admin/calls/call-api.ts";
import { callApi } from "../../api.ts";
import { ExportMenu } from "../../components/export-menu.tsx";
import { csvOf } from "../../saved-file.ts";
import type { CallFilter } from "./filters.tsx";

/** Saves the calls that match the filter, newest first, as a file. */
export function ExportCalls({ filter }: { readonly filter: CallFilter }): JSX.Element {
  return (
    <ExportMenu
      label="Export calls"
      name="calls"
      one="call"
      many="calls"
      maxItems={10_000}
      load={async (after: string | undefined) => {
        const { calls, next } = await callApi("GET /api/calls", { query: { ...filter, limit: 1000, after } });
        return { items: calls, next };
      }}
      toCsv={toCsv}
    />
  );
}

function toCsv(calls: readonly CallSummary[]): string {
  const header = ["at", "id", "server", "tool", "route", "agent", "model", "caller", "outcome", "run ms", "waited ms"];
  const rows = calls.map(({ at, id, server, tool, route, agent, principal, outcome, durationMs, waitedMs }) => [
    at,
    id,
    server,
    tool,
    route,
    agent.agentId,
    agent.model,
    `${principal.kind} ${principal.id}`,
    outcome,
    Math.max(0, durationMs - waitedMs),
    waitedMs,
  ]);
  return csvOf(header, rows);
}
