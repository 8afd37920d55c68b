import { dayMs } from "./moment.ts";
import type { RecurrenceRule } from "./recurrence-rule.ts";

/** Returns a test for the days that match the rule's BY… parts. */
export function dayFilter(rule: RecurrenceRule): (day: number) => boolean {
  const { byMonth, byMonthDay, byYearDay, byWeek, byDay } = rule;
  return (day) => {
    const at = new Date(day);
    const year = at.getUTCFullYear();
    if (byMonth.length > 0 && !byMonth.includes(at.getUTCMonth() + 1)) return false;
    if (byMonthDay.length > 0 && !isListed(byMonthDay, at.getUTCDate(), monthLength(at))) return false;
    if (byYearDay.length > 0 && !isListed(byYearDay, yearDay(day), yearLength(year))) return false;
    if (byWeek.length > 0 && !isInWeek(rule, day)) return false;
    return byDay.length === 0 || byDay.some((each) => isWeekday(rule, each, at));
  };
}

export function weekBegin(wall: number, weekStart: number): number {
  const day = Math.floor(wall / dayMs);
  const weekday = (((day + 4) % 7) + 7) % 7; // the first of January 1970 was a Thursday
  return (day - ((weekday - weekStart + 7) % 7)) * dayMs;
}

/** Negative list values count from the end. */
function isListed(list: readonly number[], position: number, length: number): boolean {
  return list.includes(position) || list.includes(position - length - 1);
}

function isWeekday(rule: RecurrenceRule, { nth, weekday }: RecurrenceRule["byDay"][number], at: Date): boolean {
  if (at.getUTCDay() !== weekday) return false;
  const { frequency, byMonth, byWeek } = rule;
  const isOfMonth = frequency === "MONTHLY" || (frequency === "YEARLY" && byMonth.length > 0);
  const isOfYear = frequency === "YEARLY" && !isOfMonth;
  if (nth === 0 || byWeek.length > 0 || !(isOfMonth || isOfYear)) return true;
  const position = isOfMonth ? at.getUTCDate() : yearDay(at.getTime());
  const length = isOfMonth ? monthLength(at) : yearLength(at.getUTCFullYear());
  return nth > 0 ? Math.ceil(position / 7) === nth : -Math.ceil((length - position + 1) / 7) === nth;
}

/** ISO 8601: the first week is the first with at least four days in the year. */
function isInWeek({ byWeek, weekStart }: RecurrenceRule, day: number): boolean {
  const middle = weekBegin(day, weekStart) + 3 * dayMs;
  const number = Math.ceil(yearDay(middle) / 7);
  const year = new Date(middle).getUTCFullYear();
  const lastMiddle = weekBegin(Date.UTC(year, 11, 28), weekStart) + 3 * dayMs;
  return isListed(byWeek, number, Math.ceil(yearDay(lastMiddle) / 7));
}

function yearDay(wall: number): number {
  return Math.floor((wall - Date.UTC(new Date(wall).getUTCFullYear(), 0, 1)) / dayMs) + 1;
}

function monthLength(at: Date): number {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
}

function yearLength(year: number): number {
  return Math.round((Date.UTC(year + 1, 0, 1) - Date.UTC(year, 0, 1)) / dayMs);
}
