import { momentsOf } from "./moment.ts";
import { findProperty, findProperties } from "./parse-ical.ts";
import type { Component } from "./parse-ical.ts";
import { recurrenceTimes } from "./recurrence-times.ts";
import { parseRecurrenceRule } from "./recurrence-rule.ts";
import { utc, zoneByOffset } from "./zone.ts";
import type { TimeZone } from "./zone.ts";

/** A time zone from a VTIMEZONE component. Undefined if it defines no offsets. */
export function ruledZone(timezone: Component): TimeZone | undefined {
  const changes = timezone.components.flatMap((component) => changeOf(component) ?? []).slice(0, 100);
  const [first] = changes.toSorted((one, other) => one.start - other.start);
  if (!first) return undefined;
  const offsets = new Map<number, ReturnType<typeof onsetsAround>>();
  const name = findProperty(timezone, "TZID")?.value ?? "";
  return zoneByOffset(name, (instant) => {
    const year = new Date(instant).getUTCFullYear();
    let onsets = offsets.get(year);
    if (!onsets) offsets.set(year, (onsets = onsetsAround(year, changes)));
    return onsets.findLast(({ at }) => at <= instant)?.offset ?? first.from;
  });
}

/** A STANDARD or DAYLIGHT component: when the offset changes, and its old and new value. */
type Change = Readonly<NonNullable<ReturnType<typeof changeOf>>>;

function changeOf(component: Component) {
  if (component.name !== "STANDARD" && component.name !== "DAYLIGHT") return undefined;
  const dates = (name: string) =>
    findProperties(component, name).flatMap((property) => momentsOf(property, () => utc).map(({ wall }) => wall));
  const [start] = dates("DTSTART");
  const from = offsetOf(findProperty(component, "TZOFFSETFROM")?.value);
  const to = offsetOf(findProperty(component, "TZOFFSETTO")?.value);
  if (start === undefined || from === undefined || to === undefined) return undefined;
  const rule = parseRecurrenceRule(findProperty(component, "RRULE")?.value ?? "", {
    untilOf: ({ wall }) => wall + from,
  });
  return { start, extra: dates("RDATE").slice(0, 1000), rule, from, to };
}

/** The offset changes around a year, plus the last one of each rule that has ended. */
function onsetsAround(year: number, changes: readonly Change[]) {
  const from = Date.UTC(year - 2, 0, 1);
  const to = Date.UTC(year + 2, 0, 1);
  const onsets = changes.flatMap((change) => {
    const repeated = change.rule
      ? recurrenceTimes(change.rule, change.start, { from, to, budget: { steps: 5000 } })
      : [];
    const last = lastOf(change);
    return [...new Set([change.start, ...change.extra, ...repeated, last])]
      .filter((wall) => wall <= to)
      .map((wall) => ({ at: wall - change.from, offset: change.to }));
  });
  return onsets.toSorted((one, other) => one.at - other.at);
}

/** The last change of a rule that has ended, which stays in effect. */
function lastOf({ rule, start }: Change): number {
  if (rule?.until === undefined) return start;
  const from = rule.until - 400 * 86_400_000;
  return [...recurrenceTimes(rule, start, { from, to: rule.until, budget: { steps: 5000 } })].at(-1) ?? start;
}

function offsetOf(text: string | undefined): number | undefined {
  const found = /^([+-])(\d\d):?(\d\d)(?::?(\d\d))?$/.exec(text?.trim() ?? "");
  if (!found) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = found.slice(2).map((part) => Number(part ?? 0));
  return (found[1] === "-" ? -1 : 1) * ((hours * 60 + minutes) * 60 + seconds) * 1000;
}
