import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { moment } from "../../format.ts";

/** Remaining time of a waiting call, in seconds near the end: `1 h 15 min left`, or `in 1 h 15 min` beside a word for the end. */
export function TimeLeft({ until, isIn = false }: { readonly until: string; readonly isIn?: boolean }): JSX.Element {
  const ms = Date.parse(until) - tick.value;
  const tone = ms < 60_000 ? "text-bad" : ms < 300_000 ? "text-warn" : "muted";
  return (
    <time class={`num ${tone}`} dateTime={until} title={moment(until)}>
      {ms <= 0 ? "expired" : isIn ? `in ${amountOf(ms)}` : `${amountOf(ms)} left`}
    </time>
  );
}

/** The rest of a waiting call's time as a thin line, in its second half. The text beside it says the same. */
export function Deadline({ from, until }: { readonly from: string; readonly until: string }): JSX.Element | null {
  const [start, end] = [Date.parse(from), Date.parse(until)];
  const left = Math.max(0, Math.min(1, (end - tick.value) / (end - start)));
  const ms = end - tick.value;
  const tone = ms < 60_000 ? "bad" : ms < 300_000 ? "warn" : "plain";
  if (left > 0.5) return null;
  return (
    <span class={`approvals-deadline approvals-deadline-${tone}`} aria-hidden="true">
      <span style={{ width: `${(left * 100).toFixed(1)}%` }} />
    </span>
  );
}

function amountOf(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.round(hours / 24)} days`;
  return minutes % 60 === 0 || hours >= 10 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

const tick = signal(Date.now());
setInterval(() => {
  if (!document.hidden) tick.value = Date.now();
}, 1000);
