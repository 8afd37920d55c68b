import type { JSX } from "preact";
import { Badge } from "../../components/badge.tsx";
import type { Tone } from "../../components/badge.tsx";
import { Text } from "../../components/text.tsx";
import { count } from "../../format.ts";

/** Why a rollout ended, in a few words and a colour. */
export function ReasonBadge({ reason }: { readonly reason: string }): JSX.Element {
  return (
    <Badge tone={reasonTone(reason)} dot title={reason.slice(0, 200)}>
      <Text value={reasonWords(reason)} most={60} isFixed />
    </Badge>
  );
}

/** How many rollouts ended in which way. Each way can be chosen, and chosen off again. */
export function ReasonBars(props: {
  readonly reasons: Readonly<Record<string, number>>;
  readonly chosen: string;
  readonly onChoose: (reason: string) => void;
}): JSX.Element {
  const { reasons, chosen, onChoose } = props;
  const entries = Object.entries(reasons).sort(([, a], [, b]) => b - a);
  const most = Math.max(1, ...entries.map(([, number]) => number));
  return (
    <ul class="run-reasons" aria-label="Rollouts by how they ended">
      {entries.slice(0, mostReasons).map(([reason, number]) => (
        <li key={reason}>
          <button
            type="button"
            class={`run-reason tone-${reasonTone(reason)}`}
            aria-pressed={chosen === reason}
            title={reason.slice(0, 200)}
            onClick={() => onChoose(chosen === reason ? "" : reason)}
          >
            <span class="ellipsis">
              <Text value={reasonWords(reason)} most={60} isFixed />
            </span>
            <span class="bar-track" aria-hidden="true">
              <span class="bar" style={{ width: `${(number / most) * 100}%` }} />
            </span>
            <span class="num end">{count(number)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

const mostReasons = 40;

function reasonTone(reason: string): Tone {
  if (reason.startsWith("error")) return reason === "error: cancelled" ? "warn" : "bad";
  if (reason === "max_steps" || reason === "length") return "warn";
  return reason === "control_plane_signal" ? "good" : "accent";
}

/** The words of a trace file are for programs. */
export function reasonWords(reason: string): string {
  return words[reason] ?? reason.replaceAll("_", " ");
}

const words: Readonly<Record<string, string>> = {
  control_plane_signal: "played to its end",
  max_steps: "too many steps",
  stop: "agent stopped",
  length: "model's length limit",
  tool_calls: "agent stopped",
  user_stop: "user stopped",
};
