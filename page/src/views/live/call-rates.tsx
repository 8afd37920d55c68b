import type { JSX } from "preact";
import { Sparkline } from "../../components/chart/sparkline.tsx";
import { figures } from "../../events.ts";
import { count, decimal } from "../../format.ts";

/** Calls and errors of all servers in the last minute. */
export function CallRates(): JSX.Element {
  const now = figures.value;
  const minute = now?.minute ?? [];
  const calls = minute.map((second) => second.calls);
  const errors = minute.map((second) => second.errors);
  const max = Math.max(1, ...calls);
  return (
    <div class="live-rates">
      <div class="live-stat">
        <span class="live-rate-value num">{decimal(now?.callsPerSecond ?? 0, 1)}</span>
        <span class="muted small">
          calls per second<span class="wide-only">, last minute</span>
        </span>
        <span class="muted small num live-peak">peak {count(Math.max(0, ...calls))}</span>
        <Sparkline
          values={calls}
          max={max}
          height={36}
          label={`Calls per second in the last minute, at most ${count(Math.max(0, ...calls))}`}
        />
      </div>
      <div class="live-stat">
        <span class={`live-rate-value num ${(now?.errorsPerSecond ?? 0) > 0 ? "text-bad" : ""}`}>
          {decimal(now?.errorsPerSecond ?? 0, 1)}
        </span>
        <span class="muted small">
          errors per second<span class="wide-only">, last minute</span>
        </span>
        <span class="muted small num live-peak">peak {count(Math.max(0, ...errors))}</span>
        <Sparkline
          values={errors}
          max={max}
          height={36}
          tone="bad"
          label={`Errors per second in the last minute, at most ${count(Math.max(0, ...errors))}`}
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
