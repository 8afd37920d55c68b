import { BiplaneError } from "@biplane/core";
import { dayMs, dayOf } from "./moment.ts";
import { clockMs } from "./recurrence-rule.ts";
import type { RecurrenceRule } from "./recurrence-rule.ts";
import { dayFilter, weekBegin } from "./rule-days.ts";

/** Remaining computation steps, shared by all rules of a calendar. */
export interface StepBudget {
  steps: number;
}

/**
 * The wall times of a rule from `from` to `to`, in order. Throws if the budget is exceeded.
 *
 * Not ical.js, whose 2.2.1 gets 6 of the 12 rules in `test/pack/calendar/read-events.engine.test.ts` wrong: it lists every
 * Monday for `BYDAY=20MO` and `BYWEEKNO=20`, and odd months for `INTERVAL=2` from an even one. One rule that never
 * matches keeps it busy without end, and it cannot skip to the range.
 */
export function* recurrenceTimes(
  given: RecurrenceRule,
  start: number,
  options: { from: number; to: number; budget: StepBudget },
): Generator<number, void, void> {
  const { from, to, budget } = options;
  const rule = completed(given, start);
  const isIncluded = dayFilter(rule);
  const times = rule.frequency in clockMs ? [] : timesOf(rule);
  const end = Math.min(to, rule.until ?? to);
  let left = rule.count ?? Infinity;
  // Without COUNT, periods before the range can be skipped.
  const first =
    rule.count === undefined ? Math.max(0, Math.floor(periodsBetween(rule, start, from) / rule.interval) - 1) : 0;
  for (let period = first; ; period++) {
    const { begin, days } = periodOf(rule, start, period * rule.interval);
    if (!(begin <= end)) return;
    spend(budget, days.length + 1);
    const found = days.filter(isIncluded);
    spend(budget, found.length * times.length);
    const walls =
      rule.frequency in clockMs
        ? found.flatMap(() => clockTimesOf(rule, begin))
        : found.flatMap((day) => times.map((time) => day + time));
    for (const wall of positioned(rule, walls)) {
      if (wall < start) continue;
      if (wall > end || left-- <= 0) return;
      if (wall < from) continue;
      spend(budget, 5);
      yield wall;
    }
  }
}

function spend(budget: StepBudget, steps: number): void {
  budget.steps -= steps;
  if (budget.steps < 0) throw new BiplaneError("CAPACITY", "The recurrence takes too long to compute.");
}

/** Fills unspecified parts of a rule from the first occurrence. */
function completed(rule: RecurrenceRule, start: number): RecurrenceRule {
  const at = new Date(start);
  const [weekday, day, month] = [at.getUTCDay(), at.getUTCDate(), at.getUTCMonth() + 1];
  const { frequency, byMonth, byMonthDay, byYearDay, byWeek, byDay } = rule;
  const hasNoDays = byMonthDay.length + byYearDay.length + byDay.length === 0;
  const onWeekday = { byDay: [{ nth: 0, weekday }] };
  const days =
    hasNoDays && (frequency === "WEEKLY" || (frequency === "YEARLY" && byWeek.length > 0))
      ? onWeekday
      : hasNoDays && frequency === "MONTHLY"
        ? { byMonthDay: [day] }
        : hasNoDays && frequency === "YEARLY"
          ? { byMonthDay: [day], byMonth: byMonth.length > 0 ? byMonth : [month] }
          : {};
  const bySecond = rule.bySecond.length > 0 || frequency === "SECONDLY" ? rule.bySecond : [at.getUTCSeconds()];
  const isFast = frequency === "SECONDLY" || frequency === "MINUTELY";
  const byMinute = rule.byMinute.length > 0 || isFast ? rule.byMinute : [at.getUTCMinutes()];
  const byHour = rule.byHour.length > 0 || frequency in clockMs ? rule.byHour : [at.getUTCHours()];
  return { ...rule, ...days, byHour, byMinute, bySecond };
}

/** The number of periods of the rule's frequency between two times. */
function periodsBetween({ frequency, weekStart }: RecurrenceRule, start: number, from: number): number {
  const [one, other] = [new Date(start), new Date(from)];
  const years = other.getUTCFullYear() - one.getUTCFullYear();
  switch (frequency) {
    case "YEARLY":
      return years;
    case "MONTHLY":
      return years * 12 + other.getUTCMonth() - one.getUTCMonth();
    case "WEEKLY":
      return Math.floor((from - weekBegin(start, weekStart)) / (7 * dayMs));
    case "DAILY":
      return Math.floor((from - dayOf(start)) / dayMs);
    default:
      return Math.floor((from - start) / clockMs[frequency]);
  }
}

/** The days of one period, before filtering. */
function periodOf(rule: RecurrenceRule, start: number, number: number): { begin: number; days: readonly number[] } {
  const at = new Date(start);
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  switch (rule.frequency) {
    case "YEARLY":
      return daysBetween(Date.UTC(year + number, 0, 1), Date.UTC(year + number + 1, 0, 1));
    case "MONTHLY":
      return daysBetween(Date.UTC(year, month + number, 1), Date.UTC(year, month + number + 1, 1));
    case "WEEKLY": {
      const begin = weekBegin(start, rule.weekStart) + number * 7 * dayMs;
      return daysBetween(begin, begin + 7 * dayMs);
    }
    case "DAILY": {
      const begin = dayOf(start) + number * dayMs;
      return { begin, days: [begin] };
    }
    default: {
      const unit = clockMs[rule.frequency];
      const begin = Math.floor(start / unit) * unit + number * unit;
      return { begin, days: [dayOf(begin)] };
    }
  }
}

function daysBetween(begin: number, end: number): { begin: number; days: readonly number[] } {
  const days: number[] = [];
  for (let day = begin; day < end; day += dayMs) days.push(day);
  return { begin, days };
}

/** The times of a day in milliseconds since midnight. */
function timesOf({
  byHour,
  byMinute,
  bySecond,
}: Pick<RecurrenceRule, "byHour" | "byMinute" | "bySecond">): readonly number[] {
  return byHour
    .flatMap((hour) => byMinute.flatMap((minute) => bySecond.map((second) => clock(hour, minute, second))))
    .toSorted((one, other) => one - other);
}

/** The times of one hour, minute or second. Finer parts are expanded, coarser parts filter. */
function clockTimesOf({ frequency, byHour, byMinute, bySecond }: RecurrenceRule, begin: number): readonly number[] {
  const at = new Date(begin);
  const [hour, minute, second] = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()];
  const has = (list: readonly number[], value: number) => list.length === 0 || list.includes(value);
  if (!has(byHour, hour)) return [];
  if (frequency === "HOURLY") return timesOf({ byHour: [hour], byMinute, bySecond }).map((time) => dayOf(begin) + time);
  if (!has(byMinute, minute)) return [];
  if (frequency === "MINUTELY")
    return bySecond.map((second) => begin + second * 1000).toSorted((one, other) => one - other);
  return has(bySecond, second) ? [begin] : [];
}

function clock(hour: number, minute: number, second: number): number {
  return ((hour * 60 + minute) * 60 + second) * 1000;
}

function positioned({ byPosition }: RecurrenceRule, walls: readonly number[]): readonly number[] {
  if (byPosition.length === 0) return walls;
  const chosen = byPosition.flatMap((position) =>
    position === 0 ? [] : (walls.at(position > 0 ? position - 1 : position) ?? []),
  );
  return [...new Set(chosen)].toSorted((one, other) => one - other);
}
