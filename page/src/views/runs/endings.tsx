import type { JSX } from "preact";
import { endingLabel } from "../../../../packages/biplane/src/rollout/ending-label.ts";
import { Badge } from "../../components/badge.tsx";
import type { Tone } from "../../components/badge.tsx";
import { Text } from "../../components/text.tsx";
import { count } from "../../format.ts";

/** Why a rollout ended, as a coloured label. Tables have space for a short one. */
export function EndingBadge({ reason, isShort = false }: EndingBadgeProps): JSX.Element {
  const label = endingLabel(reason);
  const isUsual = reason === "control_plane_signal";
  return (
    <Badge tone={endingTone(reason)} dot title={isShort && isUsual ? label : reason.slice(0, 200)}>
      <Text value={isShort && isUsual ? "ended" : label} maxLength={60} isFixed />
    </Badge>
  );
}

/** Whether the reward of a rollout passes. Nothing without a reward. */
export function PassBadge({ passed }: { readonly passed: boolean | null }): JSX.Element | null {
  if (passed === null) return null;
  return <Badge tone={passed ? "good" : "bad"}>{passed ? "passed" : "not passed"}</Badge>;
}

interface EndingBadgeProps {
  readonly reason: string;
  readonly isShort?: boolean;
}

/** Number of rollouts by ending. Selecting an ending filters the rollouts. */
export function EndingBars(props: {
  readonly reasons: Readonly<Record<string, number>>;
  readonly chosen: string;
  readonly onChoose: (reason: string) => void;
}): JSX.Element {
  const { reasons, chosen, onChoose } = props;
  const entries = Object.entries(reasons).sort(([, a], [, b]) => b - a);
  const max = Math.max(1, ...entries.map(([, number]) => number));
  return (
    <ul class="run-reasons" aria-label="Rollouts by ending">
      {entries.slice(0, maxReasons).map(([reason, number]) => (
        <li key={reason}>
          <button
            type="button"
            class={`run-reason tone-${endingTone(reason)}`}
            aria-pressed={chosen === reason}
            title={reason.slice(0, 200)}
            onClick={() => onChoose(chosen === reason ? "" : reason)}
          >
            <span>
              <Text value={endingLabel(reason)} maxLength={60} isFixed />
            </span>
            <span class="bar-track" aria-hidden="true">
              <span class="bar" style={{ width: `${(number / max) * 100}%` }} />
            </span>
            <span class="num end">{count(number)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

const maxReasons = 40;

/** The colour of an ending. A person who cancels a run makes no error. */
export function endingTone(reason: string): Tone {
  if (reason.startsWith("error")) return reason === "error: cancelled" ? "warn" : "bad";
  if (reason === "max_steps" || reason === "length") return "warn";
  return reason === "control_plane_signal" ? "plain" : "accent"; // Only the reward says whether an ending is good.
}
