import type { JSX } from "preact";
import type { ShownScript } from "../../../../src/desk/contract.ts";
import { Badge } from "../../components/badge.tsx";
import type { Tone } from "../../components/badge.tsx";

type Status = ShownScript["status"];

export function ScriptStatus({ status }: { readonly status: Status }): JSX.Element {
  const [tone, title] = looks[status];
  return (
    <Badge tone={tone} dot title={title}>
      {status}
    </Badge>
  );
}

/** What each status means, for the filter and for titles. */
export const statusTitles: readonly { readonly value: string; readonly title: string }[] = [
  { value: "", title: "Every status" },
  { value: "new", title: "New" },
  { value: "changed", title: "Changed" },
  { value: "approved", title: "Approved" },
  { value: "rejected", title: "Rejected" },
  { value: "broken", title: "Broken" },
];

const looks: { readonly [Each in Status]: readonly [tone: Tone, title: string] } = {
  new: ["warn", "Nobody has decided about it yet"],
  changed: ["warn", "It was approved once, and has changed since"],
  approved: ["good", "It may run as it is"],
  rejected: ["bad", "It may not run as it is"],
  broken: ["bad", "It cannot be used as it is"],
};
