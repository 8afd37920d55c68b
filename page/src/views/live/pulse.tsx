import type { JSX } from "preact";
import { Sparkline } from "../../components/chart/sparkline.tsx";
import { figures } from "../../events.ts";
import { count, decimal } from "../../format.ts";

/** How many calls and errors there were in the last minute, of everything that is served. */
export function Pulse(): JSX.Element {
  const now = figures.value;
  const minute = now?.minute ?? [];
  const calls = minute.map((second) => second.calls);
  const errors = minute.map((second) => second.errors);
  const most = Math.max(1, ...calls);
  return (
    <div class="live-pulse">
      <div class="live-beat">
        <span class="live-rate-value num">{decimal(now?.callsPerSecond ?? 0, 1)}</span>
        <span class="muted small">
          calls a second<span class="wide-only">, over the last minute</span>
        </span>
        <Sparkline
          values={calls}
          most={most}
          height={36}
          label={`Calls in each second of the last minute, ${count(Math.max(0, ...calls))} at most`}
        />
      </div>
      <div class="live-beat">
        <span class={`live-rate-value num ${(now?.errorsPerSecond ?? 0) > 0 ? "text-bad" : ""}`}>
          {decimal(now?.errorsPerSecond ?? 0, 1)}
        </span>
        <span class="muted small">
          errors a second<span class="wide-only">, over the last minute</span>
        </span>
        <Sparkline
          values={errors}
          most={most}
          height={36}
          tone="bad"
          label={`Errors in each second of the last minute, ${count(Math.max(0, ...errors))} at most`}
        />
      </div>
      <div class="live-beat live-beat-narrow">
        <span class="live-rate-value num">{count(now?.running ?? 0)}</span>
        <span class="muted small">under way</span>
      </div>
    </div>
  );
}
