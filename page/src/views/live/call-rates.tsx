import type { JSX } from "preact";
import { Sparkline } from "../../components/chart/sparkline.tsx";
import { failedIn, sumOf } from "../../components/failure-counts.ts";
import { figures } from "../../events.ts";
import { count } from "../../format.ts";

/** Calls and failures of all servers in the last minute. */
export function CallRates(): JSX.Element {
  const now = figures.value;
  const minute = now?.minute ?? [];
  const calls = minute.map((second) => second.calls);
  const errors = minute.map(failedIn);
  const failed = sumOf(minute, failedIn);
  const max = Math.max(1, ...calls);
  return (
    <div class="live-rates">
      <div class="live-stat">
        <span class="live-rate-value num">{count(sumOf(minute, (second) => second.calls))}</span>
        <span class="muted small">calls in the last minute</span>
        <span class="muted small num live-peak">peak {count(Math.max(0, ...calls))} per second</span>
        <Sparkline
          values={calls}
          max={max}
          height={36}
          label={`Calls per second in the last minute, at most ${count(Math.max(0, ...calls))}`}
        />
      </div>
      <div class="live-stat">
        <span class={`live-rate-value num ${failed > 0 ? "text-bad" : ""}`}>{count(failed)}</span>
        <span class="muted small">denied or failed in the last minute</span>
        <span class="muted small num live-peak">peak {count(Math.max(0, ...errors))} per second</span>
        <Sparkline
          values={errors}
          max={max}
          height={36}
          tone="bad"
          label={`Denied or failed calls per second in the last minute, at most ${count(Math.max(0, ...errors))}`}
        />
      </div>
      <div class="live-stat live-stat-narrow">
        <span class="live-rate-value num">{count(now?.running ?? 0)}</span>
        <span class="muted small">
          running{(now?.waiting ?? 0) > 0 && `, ${count(now?.waiting ?? 0)} waiting for a person`}
        </span>
      </div>
    </div>
  );
}
