import type { ComponentChildren, JSX } from "preact";
import { Text } from "../../components/text.tsx";
import { count } from "../../format.ts";

interface NamedRollout {
  readonly index: number;
  readonly repetition: number;
  readonly rowId: string;
}

/** A rollout by row and number, or, if rows are repeated, by row and repetition. */
export function RolloutName(props: {
  readonly rollout: NamedRollout;
  /** How often each row is played. */
  readonly repetitions: number;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { rollout, repetitions } = props;
  return (
    <span class="run-name">
      <span class="run-name-row">
        <Text value={rollout.rowId} maxLength={60} isFixed />
      </span>
      <span class="muted num" title={`Row number ${rollout.index}`}>
        {repetitions > 1 ? `${rollout.repetition + 1} of ${repetitions}` : numberOf(rollout)}
      </span>
      {props.children}
    </span>
  );
}

/** The same as text. */
export function rolloutTitle(rollout: NamedRollout): string {
  return `${rollout.rowId.slice(0, 120)} ${numberOf(rollout)}`;
}

function numberOf({ index, repetition }: NamedRollout): string {
  return `#${count(index)}${repetition > 0 ? `, repetition ${repetition + 1}` : ""}`;
}
