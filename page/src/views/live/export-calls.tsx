import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CallSummary } from "../../../../packages/biplane/src/admin/calls/call-api.ts";
import { callApi } from "../../api.ts";
import type { ApiResponse } from "../../api.ts";
import { Icon } from "../../components/icon.tsx";
import { Menu } from "../../components/menu.tsx";
import { toast, toastProblem } from "../../components/toast.tsx";
import { count, plural } from "../../format.ts";
import { csvOf, saveFile } from "../../saved-file.ts";
import type { CallFilter } from "./filters.tsx";

/** Saves the calls that match the filter, newest first, as a file. */
export function ExportCalls({ filter }: { readonly filter: CallFilter }): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const run = async (format: "csv" | "jsonl") => {
    setBusy(true);
    try {
      const { calls, isCut } = await load(filter);
      const stamp = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
      const text = format === "csv" ? toCsv(calls) : calls.map((call) => `${JSON.stringify(call)}\n`).join("");
      saveFile(`calls-${stamp}.${format}`, text, format === "csv" ? "text/csv" : "application/x-ndjson");
      toast(isCut ? `Exported the newest ${count(calls.length)} calls.` : `Exported ${plural(calls.length, "call")}.`);
    } catch (error) {
      toastProblem(error);
    }
    setBusy(false);
  };
  return (
    <Menu
      label="Export calls"
      class="button button-plain button-usual"
      items={[
        { title: "CSV", run: () => void run("csv") },
        { title: "JSON lines", run: () => void run("jsonl") },
      ]}
    >
      {isBusy ? <span class="spinner" aria-hidden="true" /> : <Icon name="external" />}
      <span>Export</span>
    </Menu>
  );
}

async function load(filter: CallFilter): Promise<{ calls: readonly CallSummary[]; isCut: boolean }> {
  const calls: CallSummary[] = [];
  for (let after: string | null = ""; after !== null && calls.length < maxCalls;) {
    const page: ApiResponse<"GET /api/calls"> = await callApi("GET /api/calls", {
      query: { ...filter, limit: 1000, after },
    });
    calls.push(...page.calls);
    after = page.next;
    if (after === null) return { calls, isCut: false };
  }
  return { calls: calls.slice(0, maxCalls), isCut: true };
}

/** So many fit in memory and in a spreadsheet. `biplane` commands export more. */
const maxCalls = 10_000;

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
