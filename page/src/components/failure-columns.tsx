import type { JSX } from "preact";
import { plural } from "../format.ts";
import { failureKinds, failureTexts, failuresOf, isUnusual, shareText } from "./failure-counts.ts";
import type { FailureCounts } from "./failure-counts.ts";
import type { Column } from "./table.tsx";

/** A column for each kind of call that did not run to its end. */
export function failureColumns<Row extends FailureCounts>(): readonly Column<Row>[] {
  return failureKinds.map(({ kind, title, tone }) => ({
    title,
    cell: (row) => <Share number={failuresOf(row)[kind]} of={row.calls} tone={tone} />,
    width: "4.75rem",
    align: "end",
    isWide: true,
  }));
}

/** All kinds of failures on one line, for the tables of phones. */
export function Failures({ counts }: { readonly counts: FailureCounts }): JSX.Element {
  return (
    <>
      {failureTexts(counts).map(({ text, number, tone }, at) => (
        <span key={text}>
          {at > 0 && ", "}
          <span class={isUnusual(number, counts.calls) ? `text-${tone}` : ""}>{text}</span>
        </span>
      ))}
    </>
  );
}

/** Every kind at its own place, so that rows below each other can be compared. Nothing if no call failed. */
export function FailurePlaces({ counts }: { readonly counts: FailureCounts }): JSX.Element | null {
  const numbers = failuresOf(counts);
  if (failureKinds.every(({ kind }) => numbers[kind] === 0)) return null;
  return (
    <span class="failure-places">
      {failureKinds.map(({ kind, tone }) => (
        <span key={kind}>
          <Share number={numbers[kind]} of={counts.calls} tone={tone} /> {kind}
        </span>
      ))}
    </span>
  );
}

function Share(props: { readonly number: number; readonly of: number; readonly tone: string }): JSX.Element {
  const { number, of, tone } = props;
  if (number === 0) return <span class="muted">–</span>;
  return (
    <span class={`num ${isUnusual(number, of) ? `text-${tone}` : ""}`} title={plural(number, "call")}>
      {shareText(number, of)}
    </span>
  );
}
