import { momentOf } from "./moment.ts";
import type { Moment } from "./moment.ts";
import { utc } from "./zone.ts";

/** A recurrence rule. All fields are in wall time, independent of daylight saving time. */
export interface RecurrenceRule {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly count: number | undefined;
  /** The last possible wall time. */
  readonly until: number | undefined;
  readonly weekStart: number;
  readonly byDay: readonly { readonly nth: number; readonly weekday: number }[];
  readonly byMonth: readonly number[];
  readonly byMonthDay: readonly number[];
  readonly byYearDay: readonly number[];
  readonly byWeek: readonly number[];
  readonly byHour: readonly number[];
  readonly byMinute: readonly number[];
  readonly bySecond: readonly number[];
  readonly byPosition: readonly number[];
}

export type Frequency = keyof typeof clockMs | "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY";

/** Parses an RRULE. Undefined if it is invalid or not supported. */
export function parseRecurrenceRule(
  text: string,
  options: { untilOf: (until: Moment) => number },
): RecurrenceRule | undefined {
  const part = new Map(
    text.split(";").map((each) => {
      const [key = "", value = ""] = each.split("=");
      return [key.trim().toUpperCase(), value.trim().toUpperCase()];
    }),
  );
  const frequency = part.get("FREQ") ?? "";
  if (!frequencies.has(frequency) || part.has("RSCALE")) return undefined;
  const numbers = (key: string, limit: number) => {
    const listed = (part.get(key) ?? "").split(",").filter((each) => /^[+-]?\d{1,4}$/.test(each));
    return [...new Set(listed.map(Number))].filter((number) => Math.abs(number) <= limit);
  };
  const until = momentOf({ name: "UNTIL", parameters: new Map(), value: part.get("UNTIL") ?? "" }, () => floating);
  return {
    frequency: frequency as Frequency,
    interval: Math.max(1, wholeNumber(part.get("INTERVAL")) ?? 1),
    count: wholeNumber(part.get("COUNT")),
    until: until && options.untilOf(until),
    weekStart: Math.max(0, weekdays.indexOf(part.get("WKST") ?? "MO")),
    byDay: [...(part.get("BYDAY") ?? "").matchAll(/(?:^|,)([+-]?\d{1,2})?(SU|MO|TU|WE|TH|FR|SA)(?=,|$)/g)].map(
      ([, nth, weekday = ""]) => ({ nth: Number(nth ?? 0), weekday: weekdays.indexOf(weekday) }),
    ),
    byMonth: numbers("BYMONTH", 12),
    byMonthDay: numbers("BYMONTHDAY", 31),
    byYearDay: numbers("BYYEARDAY", 366),
    byWeek: numbers("BYWEEKNO", 53),
    byHour: numbers("BYHOUR", 23),
    byMinute: numbers("BYMINUTE", 59),
    bySecond: numbers("BYSECOND", 59),
    byPosition: numbers("BYSETPOS", 366),
  };
}

/** Marks an UNTIL without Z, which is in the event's own zone. */
export const floating = { ...utc, name: "floating" };

/** Clock-based frequencies and their period. */
export const clockMs = { HOURLY: 3_600_000, MINUTELY: 60_000, SECONDLY: 1000 } as const;
const frequencies = new Set([...Object.keys(clockMs), "DAILY", "WEEKLY", "MONTHLY", "YEARLY"]);
const weekdays = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
