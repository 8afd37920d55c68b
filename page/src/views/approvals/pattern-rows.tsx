import type { JSX } from "preact";
import { Input, Select } from "../../components/field.tsx";
import { Text } from "../../components/text.tsx";
import { startOf } from "./pattern.ts";
import type { Row, RowChoice, RowFault } from "./pattern.ts";
import { shownText } from "./shown-text.ts";

/** One row per argument: its exact value, a condition, or any value. */
export function PatternRows(props: {
  readonly rows: readonly Row[];
  readonly fault: RowFault | undefined;
  readonly onChange: (rows: readonly Row[]) => void;
}): JSX.Element {
  const { rows, fault, onChange } = props;
  const change = (path: string, patch: Partial<Row>) =>
    onChange(rows.map((row) => (row.path === path ? { ...row, ...patch } : row)));
  if (rows.length === 0) return <p class="muted">The call has no arguments.</p>;
  return (
    <div class="approvals-rows">
      {rows.map((row) => (
        <div key={row.path} class="approvals-argument">
          <span class="mono approvals-path">
            <Text value={row.path} maxLength={120} isFixed />
          </span>
          <Select
            label={`Condition for ${shownText(row.path)}`}
            isLabelHidden
            value={row.choice}
            choices={row.choices.map((value) => ({ value, title: titles[value] }))}
            onChange={(value) => {
              const choice = value as RowChoice;
              change(row.path, { choice, text: startOf(choice, row.value) });
            }}
          />
          {row.choice === "any" ? (
            <span class="approvals-value muted">or absent</span>
          ) : row.choice === "is" || row.choice === "each" ? (
            <span class="mono approvals-value">
              <Text value={JSON.stringify(row.value) ?? ""} maxLength={160} isFixed />
            </span>
          ) : (
            <Input
              label={`Value for ${shownText(row.path)}`}
              isLabelHidden
              isMono
              value={row.text}
              error={fault?.path === row.path ? fault.message : undefined}
              onInput={(text) => change(row.path, { text })}
            />
          )}
        </div>
      ))}
    </div>
  );
}

const titles: { readonly [Choice in RowChoice]: string } = {
  is: "is exactly",
  each: "contains only",
  any: "any value",
  max: "is at most",
  min: "is at least",
  like: "is like",
  in: "is one of",
};
