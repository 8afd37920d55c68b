import type { JSX } from "preact";
import { Text } from "../../components/text.tsx";
import { Reward } from "./reward.tsx";

/** What a reward is made of: a bar to the right for what adds to it, to the left for what takes away. */
export function RewardParts({ parts }: { readonly parts: Readonly<Record<string, number>> }): JSX.Element {
  const entries = Object.entries(parts).slice(0, mostParts);
  const most = Math.max(1e-9, ...entries.map(([, value]) => Math.abs(value)));
  return (
    <ul class="reward-parts" aria-label="Parts of the reward">
      {entries.map(([name, value]) => (
        <li key={name} class={value < 0 ? "tone-bad" : "tone-good"}>
          <span class="ellipsis">
            <Text value={name} most={60} isFixed />
          </span>
          <span class="reward-track" aria-hidden="true">
            <span
              class={value < 0 ? "reward-bar reward-less" : "reward-bar"}
              style={{ width: `${(Math.abs(value) / most) * 50}%` }}
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

const mostParts = 24;
