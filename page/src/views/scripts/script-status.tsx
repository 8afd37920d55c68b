import type { JSX } from "preact";
import type { ScriptSummary } from "../../../../packages/biplane/src/admin/scripts/script-api.ts";
import { Badge } from "../../components/badge.tsx";
import type { Tone } from "../../components/badge.tsx";

type Status = ScriptSummary["status"];

export function ScriptStatus({ status }: { readonly status: Status }): JSX.Element {
  const [tone, title] = styles[status];
  return (
    <Badge tone={tone} dot title={title}>
      {status}
    </Badge>
  );
}

/** True if a person has to decide before the script can run. */
export function waitsForApproval({ status }: Pick<ScriptSummary, "status">): boolean {
  return status === "pending" || status === "modified";
}

/** The choices of the status filter. */
export const statusTitles: readonly { readonly value: string; readonly title: string }[] = [
  { value: "", title: "All statuses" },
  { value: "pending", title: "Pending" },
  { value: "modified", title: "Modified" },
  { value: "approved", title: "Approved" },
  { value: "rejected", title: "Rejected" },
  { value: "broken", title: "Broken" },
];

const styles: { readonly [Each in Status]: readonly [tone: Tone, title: string] } = {
  pending: ["warn", "Waiting for approval"],
  modified: ["warn", "Changed since the last approval"],
  approved: ["good", "This version can run"],
  rejected: ["bad", "This version cannot run"],
  broken: ["bad", "The script is not valid"],
};
