import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { callApi } from "../../api.ts";
import type { ApiResponse } from "../../api.ts";
import { Icon } from "../../components/icon.tsx";
import { Menu } from "../../components/menu.tsx";
import { toast, toastProblem } from "../../components/toast.tsx";
import { count, plural } from "../../format.ts";
import { csvOf, saveFile } from "../../saved-file.ts";
import type { AuditRow } from "./columns.tsx";

type Filter = Readonly<Record<string, string>>;

/** Saves the entries that match the filter, newest first, as a file. */
export function ExportAudit({ filter }: { readonly filter: Filter }): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const run = async (format: "csv" | "jsonl") => {
    setBusy(true);
    try {
      const { lines, isCut } = await load(filter);
      const stamp = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
      const text = format === "csv" ? toCsv(lines) : lines.map((line) => `${JSON.stringify(line)}\n`).join("");
      saveFile(`audit-${stamp}.${format}`, text, format === "csv" ? "text/csv" : "application/x-ndjson");
      toast(
        isCut
          ? `Exported the newest ${count(lines.length)} entries. biplane audit show exports more.`
          : `Exported ${plural(lines.length, "entry", "entries")}.`,
      );
    } catch (error) {
      toastProblem(error);
    }
    setBusy(false);
  };
  return (
    <Menu
      label="Export entries"
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

async function load(filter: Filter): Promise<{ lines: readonly AuditRow[]; isCut: boolean }> {
  const lines: AuditRow[] = [];
  for (let after: number | undefined; lines.length < maxLines;) {
    const page: ApiResponse<"GET /api/audit"> = await callApi("GET /api/audit", {
      query: { ...filter, limit: 1000, after },
    });
    lines.push(...page.lines);
    if (page.next === null) return { lines, isCut: false };
    after = page.next;
  }
  return { lines: lines.slice(0, maxLines), isCut: true };
}

const maxLines = 20_000;

function toCsv(lines: readonly AuditRow[]): string {
  const header = ["entry", "time", "tool", "caller", "agent", "decision", "approved by", "outcome", "message", "hash"];
  const rows = lines.map((line) =>
    line.kind === "call"
      ? [
          line.sequence,
          line.time,
          line.tool,
          `${line.principal.kind} ${line.principal.id}`,
          line.agent.agentId,
          line.decision,
          line.approvedBy,
          line.outcome,
          line.message,
          line.hash,
        ]
      : [line.sequence, line.time, `${line.count} entries lost`, "", "", "", "", "", "", line.hash],
  );
  return csvOf(header, rows);
}
