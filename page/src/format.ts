import { decimal } from "../../packages/biplane/src/rollout/score/figure-text.ts";

export {
  decimal,
  dollars,
  fixed,
  percent,
  precise,
  uncertainty,
} from "../../packages/biplane/src/rollout/score/figure-text.ts";

/** Writes costs with as many decimals as the highest one needs, so that those of a column can be compared. */
export function alignedDollars(costs: readonly number[]): (cost: number) => string {
  const most = Math.max(0, ...costs);
  const digits = most === 0 || most >= 1 ? 2 : Math.min(8, 2 - Math.floor(Math.log10(most)));
  return (cost) => `$${cost.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

/** `1,234`, `12.3K`, `4.5M`. */
export function count(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return Math.abs(value) < 10_000 ? whole.format(value) : compact.format(value);
}

/** `400 µs`, `1.2 ms`, `12 ms`, `1.20 s`, `3 min 5 s`, `2 h 4 min`, `1 d 2 h`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return "–";
  if (ms > 0 && ms < 1) return `${Math.ceil(ms * 1000)} µs`;
  if (ms < 10) return `${decimal(ms, 1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return days < 10 ? `${days} d ${hours % 24} h` : `${days} days`;
}

/** A duration that someone chose, without zeros that say nothing: `30 s`, `1.5 s`, `2 min`. */
export function chosenDuration(ms: number): string {
  if (ms < 1000) return duration(ms);
  return ms < 60_000 ? `${decimal(ms / 1000)} s` : duration(ms).replace(/ 0 (?:s|min|h)$/, "");
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  return size < 1024 ** 2 ? `${decimal(size / 1024, 1)} KiB` : `${decimal(size / 1024 ** 2, 1)} MiB`;
}

/** `just now`, `12 s ago`, `in 3 min`; the date if it is more than a day away. */
export function relative(iso: string, now = Date.now()): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return iso;
  const ms = now - time;
  const size = Math.abs(ms);
  const phrase = (text: string) => (ms >= 0 ? `${text} ago` : `in ${text}`);
  if (size < 2000) return "just now";
  if (size < 60_000) return phrase(`${Math.round(size / 1000)} s`);
  if (size < 3_600_000) return phrase(`${Math.round(size / 60_000)} min`);
  if (size < 86_400_000) return phrase(`${Math.round(size / 3_600_000)} h`);
  return dayOf(new Date(time), now);
}

/** Local and ISO time, for tooltips. */
export function moment(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? iso : `${dateTime(iso)} (${time.toISOString()})`;
}

/** `3 May, 14:05:09`, with the year if it is not this one. */
export function dateTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  return `${dayOf(time)}, ${time.toLocaleTimeString("en-GB")}`;
}

/** `3 May`, with the year if it is not this one. */
export function day(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? iso : dayOf(time);
}

function dayOf(time: Date, now = Date.now()): string {
  const isThisYear = time.getFullYear() === new Date(now).getFullYear();
  return time.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...(!isThisYear && { year: "numeric" }) });
}

/** The time of day with milliseconds. */
export function clock(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  return `${time.toLocaleTimeString("en-GB")}.${String(time.getMilliseconds()).padStart(3, "0")}`;
}

/** `3 tools`, `1 tool`. */
export function plural(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

const whole = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
