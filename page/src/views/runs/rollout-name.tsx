import type { ComponentChildren, JSX } from "preact";
import { Text } from "../../components/text.tsx";
import { count } from "../../format.ts";

/** A rollout by row, number and repetition. */
export function RolloutName(props: {
  readonly rollout: { readonly index: number; readonly repetition: number; readonly rowId: string };
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { index, repetition, rowId } = props.rollout;
  return (
    <span class="run-name">
      <span class="run-name-row">
        <Text value={rowId} maxLength={60} isFixed />
      </span>
      <span class="muted num">
        #{count(index)}
        {repetition > 0 && `, repetition ${repetition + 1}`}
      </span>
      {props.children}
    </span>
  );
}
