import type { JSX } from "preact";
import { percent, plural } from "../format.ts";
import type { Column } from "./table.tsx";

interface FailureCounts {
  readonly calls: number;
  /** With the refused ones. */
  readonly failed: number;
  readonly refused: number;
}

/** Calls that were not allowed to run, and calls that ran into an error: two different problems. */
export function failureColumns<Row extends FailureCounts>(): readonly Column<Row>[] {
  const common = { width: "5.25rem", align: "end", isWide: true } as const;
  return [
    {
      title: "Refused",
      cell: ({ calls, refused }) => <Share number={refused} of={calls} tone="warn" />,
      ...common,
    },
    {
      title: "Errors",
      cell: ({ calls, failed, refused }) => <Share number={Math.max(0, failed - refused)} of={calls} tone="bad" />,
      ...common,
    },
  ];
}

/** Both kinds of failures on one line, for the tables of phones. */
export function Failures({ counts }: { readonly counts: FailureCounts }): JSX.Element | null {
  const { calls, failed, refused } = counts;
  const errors = Math.max(0, failed - refused);
  if (refused === 0 && errors === 0) return null;
  return (
    <>
      {refused > 0 && <span class="text-warn">{percent(refused / calls)} refused</span>}
      {refused > 0 && errors > 0 && ", "}
      {errors > 0 && <span class="text-bad">{percent(errors / calls)} errors</span>}
    </>
  );
}

function Share(props: { readonly number: number; readonly of: number; readonly tone: "warn" | "bad" }): JSX.Element {
  const { number, of, tone } = props;
  if (number === 0) return <span class="muted">0</span>;
  return (
    <span class={`num text-${tone}`} title={plural(number, "call")}>
      {percent(number / of)}
    </span>
  );
}
