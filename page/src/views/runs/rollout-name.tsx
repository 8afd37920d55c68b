import type { ComponentChildren, JSX } from "preact";
import { Text } from "../../components/text.tsx";
import { count } from "../../format.ts";

/** Which rollout it is: its number, which try, and its row. */
export function RolloutName(props: {
  readonly rollout: { readonly index: number; readonly repetition: number; readonly rowId: string };
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { index, repetition, rowId } = props.rollout;
  return (
    <span class="run-name">
      <span class="num">
        {count(index)}
        {repetition > 0 && <span class="muted"> · try {repetition + 1}</span>}
      </span>
      <span class="muted">
        <Text value={rowId} most={60} isFixed />
      </span>
      {props.children}
    </span>
  );
}
