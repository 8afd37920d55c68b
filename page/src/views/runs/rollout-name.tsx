import type { ComponentChildren, JSX } from "preact";
import { Text } from "../../components/text.tsx";
import { count } from "../../format.ts";

/** A rollout by number, repetition and row. */
export function RolloutName(props: {
  readonly rollout: { readonly index: number; readonly repetition: number; readonly rowId: string };
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { index, repetition, rowId } = props.rollout;
  return (
    <span class="run-name">
      <span class="num">
        {count(index)}
        {repetition > 0 && <span class="muted"> · repetition {repetition + 1}</span>}
      </span>
      <span class="muted">
        <Text value={rowId} maxLength={60} isFixed />
      </span>
      {props.children}
    </span>
  );
}
