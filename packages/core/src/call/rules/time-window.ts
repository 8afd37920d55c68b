import { unknownName } from "../../tool/near-miss.ts";
import type { DocumentCursor } from "./problem.ts";
import { readNames } from "./read-list.ts";
import { isRecord } from "../../is-record.ts";

/** Days and hours. If `to` is before `from`, the window crosses midnight and belongs to the day it starts on. */
export interface WrittenTime {
  readonly days?: Day | readonly Day[];
  /** Inclusive, such as `08:00`. */
  readonly from?: string;
  /** Exclusive, such as `18:00`. */
  readonly to?: string;
  /** Such as `Europe/Berlin` (default: UTC). */
  readonly zone?: string;
}

export interface TimeWindow {
  readonly includes: (now: number) => boolean;
  /** "Monday 09:30 in Europe/Berlin" */
  readonly show: (now: number) => string;
  readonly wants: string;
}

type Day = (typeof days)[number];
const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
const dayNames = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;
const minutesADay = 24 * 60;

export function readTimeWindow(written: unknown, cursor: DocumentCursor): TimeWindow | undefined {
  if (!isRecord(written)) return cursor.fail("must have days, from, to or zone");
  for (const key of Object.keys(written)) {
    if (!timeKeys.includes(key)) cursor.at(key).fail(unknownName(key, timeKeys), "key");
  }
  if (["days", "from", "to"].every((key) => written[key] === undefined))
    return cursor.fail("has no time; write days, from or to");
  const on = written["days"] === undefined ? days : readNames(written["days"], cursor.at("days"), days);
  const from = readMinute(written["from"], cursor.at("from")) ?? 0;
  const to = readMinute(written["to"], cursor.at("to")) ?? minutesADay;
  if (from === to) cursor.at("to").fail("is the same as from; omit both for the whole day");
  const zone = readZone(written["zone"], cursor.at("zone"));
  if (zone === undefined) return undefined;
  const clock = localClock(zone);
  return {
    includes: (now) => {
      const { day, minute } = clock(now);
      const isOn = (which: number) => on.includes(days[(which + 7) % 7] as Day);
      if (from < to) return minute >= from && minute < to && isOn(day);
      return (minute >= from && isOn(day)) || (minute < to && isOn(day - 1));
    },
    show: (now) => {
      const { day, minute } = clock(now);
      return `${dayNames[day]} ${showMinute(minute)} in ${zone}`;
    },
    wants: `${on.length === 7 ? "any day" : on.join(", ")} from ${showMinute(from)} to ${showMinute(to)} in ${zone}`,
  };
}

const timeKeys = ["days", "from", "to", "zone"];

function readMinute(written: unknown, cursor: DocumentCursor): number | undefined {
  if (written === undefined) return undefined;
  const [, hours, minutes] = (typeof written === "string" && /^([01]?\d|2[0-4]):([0-5]\d)$/.exec(written)) || [];
  const minute = Number(hours) * 60 + Number(minutes);
  if (minute <= minutesADay) return minute;
  return cursor.fail('must be a time of day such as "08:00"');
}

function readZone(written: unknown, cursor: DocumentCursor): string | undefined {
  if (written === undefined) return "UTC";
  try {
    if (typeof written === "string")
      return new Intl.DateTimeFormat("en", { timeZone: written }).resolvedOptions().timeZone;
  } catch {
    // An unknown zone throws a RangeError.
  }
  return cursor.fail('must be a time zone such as "Europe/Berlin"');
}

function showMinute(minute: number): string {
  return [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0")).join(":");
}

/** Day of the week and minute of the day. Formatting is slow, so the last minute is cached. */
function localClock(timeZone: string): (now: number) => { day: number; minute: number } {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "long",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  let keptFor = Number.NaN;
  let kept = { day: 0, minute: 0 };
  return (now) => {
    const current = Math.floor(now / 60_000);
    if (current !== keptFor) {
      const part = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]));
      const day = dayNames.indexOf(part["weekday"] as (typeof dayNames)[number]);
      kept = { day, minute: Number(part["hour"]) * 60 + Number(part["minute"]) };
      keptFor = current;
    }
    return kept;
  };
}
