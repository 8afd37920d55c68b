import type { JSX } from "preact";
import { Text } from "../../components/text.tsx";
import { Reward } from "./reward.tsx";

/** The parts of a reward as bars: positive to the right, negative to the left. */
export function RewardParts({ parts }: { readonly parts: Readonly<Record<string, number>> }): JSX.Element {
  const entries = Object.entries(parts).slice(0, maxParts);
  const max = Math.max(1e-9, ...entries.map(([, value]) => Math.abs(value)));
  return (
    <ul class="reward-parts" aria-label="Parts of the reward">
      {entries.map(([name, value]) => (
        <li key={name} class={value < 0 ? "tone-bad" : "tone-good"}>
          <span class="ellipsis">
            <Text value={name} maxLength={60} isFixed />
          </span>
          <span class="reward-track" aria-hidden="true">
            <span
              class={value < 0 ? "reward-bar reward-less" : "reward-bar"}
              style={{ width: `${(Math.abs(value) / max) * 50}%` }}
            />
          </span>
          <span class="end">
            <Reward value={value} isSigned />
          </span>
        </li>
      ))}
    </ul>
  );
}

const maxParts = 24;
