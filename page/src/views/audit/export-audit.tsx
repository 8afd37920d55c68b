import type { JSX } from "preact";
import { callApi } from "../../api.ts";
import { ExportMenu } from "../../components/export-menu.tsx";
import { csvOf } from "../../saved-file.ts";
import type { AuditRow } from "./columns.tsx";
import { decisionWord } from "./decision-word.ts";

/** Saves the entries that match the filter, newest first, as a file. `biplane audit show` exports more. */
export function ExportAudit({ filter }: { readonly filter: Readonly<Record<string, string>> }): JSX.Element {
  return (
    <ExportMenu
      label="Export entries"
      name="audit"
      one="entry"
      many="entries"
      maxItems={20_000}
      load={async (after: number | undefined) => {
        const { lines, next } = await callApi("GET /api/audit", { query: { ...filter, limit: 1000, after } });
        return { items: lines, next };
      }}
      toCsv={toCsv}
    />
  );
}

function toCsv(lines: readonly AuditRow[]): string {
  const header = [
    "entry",
    "time",
    "tool",
    "caller",
    "agent",
    "decision",
    "rules",
    "approved by",
    "outcome",
    "message",
    "hash",
  ];
  const rows = lines.map((line) =>
    line.kind === "call"
      ? [
          line.sequence,
          line.time,
          line.tool,
          `${line.principal.kind} ${line.principal.id}`,
          line.agent.agentId,
          decisionWord(line),
          line.rules?.join("; "),
          line.approvedBy,
          line.outcome,
          line.message,
          line.hash,
        ]
      : [line.sequence, line.time, `${line.count} entries lost`, "", "", "", "", "", "", "", line.hash],
  );
  return csvOf(header, rows);
}
