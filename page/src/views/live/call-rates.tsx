import type { JSX } from "preact";
import { Sparkline } from "../../components/chart/sparkline.tsx";
import { failedIn, fiveSecondSums } from "../../components/failure-counts.ts";
import { figures } from "../../events.ts";
import { count } from "../../format.ts";

/** Calls and failures of all servers in the last minute. */
export function CallRates(): JSX.Element {
  const now = figures.value;
  const minute = now?.minute ?? [];
  const calls = fiveSecondSums(minute, (second) => second.calls);
  // Both have the same scale. Without a lowest top, one call would look like many.
  const max = Math.max(5, ...calls);
  const running = now?.running ?? 0;
  const waiting = now?.waiting ?? 0;
  return (
    <div class="live-rates">
      <Rate title="calls in the last minute" values={calls} max={max} />
      <Rate title="denied or failed in the last minute" values={fiveSecondSums(minute, failedIn)} max={max} isBad />
      <div class="live-stat live-stat-narrow">
        <span class="live-rate-value num">{count(running)}</span>
        <span class="muted small">running{waiting > 0 && `, ${count(waiting)} waiting for a person`}</span>
      </div>
    </div>
  );
}

function Rate(props: {
  readonly title: string;
  /** For each five seconds. */
  readonly values: readonly number[];
  readonly max: number;
  readonly isBad?: boolean;
}): JSX.Element {
  const { title, values, max, isBad = false } = props;
  const sum = values.reduce((all, value) => all + value, 0);
  const most = Math.max(...values);
  return (
    <div class="live-stat">
      <span class={`live-rate-value num ${isBad && sum > 0 ? "text-bad" : ""}`}>{count(sum)}</span>
      <span class="muted small">{title}</span>
      <span class="muted small num live-peak">{most > 0 && `at most ${count(most)} in 5 s`}</span>
      <Sparkline
        values={values}
        max={max}
        height={36}
        tone={isBad ? "bad" : "accent"}
        label={`${count(sum)} ${title}, at most ${count(most)} in five seconds`}
      />
    </div>
  );
}
