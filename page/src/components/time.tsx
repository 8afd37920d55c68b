import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { clock, day, duration, moment, relative } from "../format.ts";

/** A relative time that updates itself, or the date and time with milliseconds. The full time is the tooltip. */
export function Time({ at, isExact = false }: { readonly at: string; readonly isExact?: boolean }): JSX.Element {
  return (
    <time class="num" dateTime={at} title={moment(at)}>
      {isExact ? `${day(at)}, ${clock(at)}` : relative(at, Math.max(tick.value, Date.now()))}
    </time>
  );
}

/** The time until then, which updates itself: `in 13 s`, or `now` if it has come. */
export function Until({ at }: { readonly at: string }): JSX.Element {
  const now = Math.max(tick.value, Date.now());
  return (
    <time class="num" dateTime={at} title={moment(at)}>
      {Date.parse(at) - now < 2000 ? "now" : relative(at, now)}
    </time>
  );
}

/** The time since then, which updates itself: `24 s`, `3 min 5 s`. */
export function Elapsed({ since }: { readonly since: string }): JSX.Element {
  const seconds = Math.max(0, Math.round((Math.max(tick.value, Date.now()) - Date.parse(since)) / 1000));
  return (
    <time class="num" dateTime={since} title={moment(since)}>
      {seconds < 60 ? `${seconds} s` : duration(seconds * 1000)}
    </time>
  );
}

export function Duration({ ms }: { readonly ms: number }): JSX.Element {
  return (
    <span class="num" title={`${ms} ms`}>
      {duration(ms)}
    </span>
  );
}

/** The run time of a call. A wait for a person is shown apart, because it is not the time of the tool. */
export function CallDuration({ call }: { readonly call: CallTimes }): JSX.Element {
  const { durationMs, waitedMs = 0 } = call;
  return (
    <>
      <Duration ms={Math.max(0, durationMs - waitedMs)} />
      {waitedMs > 0 && (
        <span class="muted small" title="Waited for a person">
          {" "}
          + {duration(waitedMs)} waiting
        </span>
      )}
    </>
  );
}

interface CallTimes {
  readonly durationMs: number;
  readonly waitedMs?: number;
}

/** One clock for all times on the page. */
const tick = signal(Date.now());
setInterval(() => {
  if (!document.hidden) tick.value = Date.now();
}, 5000);
