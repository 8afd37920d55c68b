import { dayMs, dayOf, instantOf, momentsOf } from "./moment.ts";
import type { Moment, ZoneOf } from "./moment.ts";
import { recurrenceTimes } from "./recurrence-times.ts";
import type { StepBudget } from "./recurrence-times.ts";
import { findProperties, propertyText } from "./parse-ical.ts";
import type { Component } from "./parse-ical.ts";
import { floating, parseRecurrenceRule } from "./recurrence-rule.ts";
import { beginning, occurrenceKey } from "./series.ts";
import type { CalendarEntry, EventSeries } from "./series.ts";
import type { TimeZone } from "./zone.ts";

/** One occurrence of an event. For an all-day event, `start` and `end` are wall times at midnight. */
export interface EventOccurrence {
  readonly uid: string;
  readonly title: string;
  /** The same object for all occurrences of an event, so that long texts are copied and searched once. */
  readonly texts: EventTexts;
  readonly isAllDay: boolean;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

export interface EventTexts {
  readonly description: string;
  readonly location: string;
}

/** A time range between two instants. Days are counted in `zone`. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
  readonly zone: TimeZone;
}

interface ExpandContext {
  readonly range: TimeRange;
  readonly zoneOf: ZoneOf;
  readonly budget: StepBudget;
}

/** The occurrences of one series that overlap the range, unordered. */
export function expandSeries({ masters, changed }: EventSeries, context: ExpandContext): readonly EventOccurrence[] {
  const found = [...changed.values()].flatMap((entry) => occurrenceAt(entry, entry.start.wall, context) ?? []);
  for (const master of masters) {
    if (master.isCancelled) continue;
    const isExcluded = exceptionsOf(master, changed, context);
    for (const wall of wallsOf(master, context)) {
      if (!isExcluded(wall)) found.push(...(occurrenceAt(master, wall, context) ?? []));
    }
  }
  return found;
}

/** Returns a test for occurrences that were removed or replaced. */
function exceptionsOf(
  { component, start }: CalendarEntry,
  changed: EventSeries["changed"],
  { zoneOf }: ExpandContext,
): (wall: number) => boolean {
  const excluded = new Set(changed.keys());
  for (const property of findProperties(component, "EXDATE")) {
    for (const moment of momentsOf(property, zoneOf)) {
      excluded.add(occurrenceKey(moment));
      // Exchange excludes a day of an all-day series with a time on that day.
      if (start.isDate) excluded.add(`day ${dayOf(moment.wall)}`);
    }
  }
  if (excluded.size === 0) return () => false;
  return (wall) =>
    excluded.has(`day ${dayOf(wall)}`) || (!start.isDate && excluded.has(`time ${start.zone.toInstant(wall)}`));
}

/** The wall times at which an event may overlap the range, including RDATEs. */
function wallsOf(entry: CalendarEntry, { range, zoneOf, budget }: ExpandContext): readonly number[] {
  const { component, start } = entry;
  const length = lengthOf(entry);
  const from = range.from - length - slackMs;
  const to = range.to + slackMs;
  const walls = new Set<number>();
  const rules = findProperties(component, "RRULE").slice(0, 10);
  if (rules.length === 0) walls.add(start.wall);
  for (const { value } of rules) {
    const rule = parseRecurrenceRule(value, { untilOf: (until) => untilOf(until, start) });
    // If the rule cannot be parsed, keep the event itself.
    if (!rule) walls.add(start.wall);
    else for (const wall of recurrenceTimes(rule, start.wall, { from, to, budget })) walls.add(wall);
  }
  for (const property of findProperties(component, "RDATE")) {
    for (const moment of momentsOf(property, zoneOf)) {
      walls.add(start.isDate || moment.isDate ? dayOf(moment.wall) : start.zone.toWall(instantOf(moment)));
    }
  }
  return [...walls].filter((wall) => wall >= from && wall <= to);
}

/** More than any UTC offset, so that wall times can be compared with instants approximately. */
const slackMs = 2 * dayMs;

/** UNTIL in the event's wall time. A date includes the whole day. */
function untilOf(until: Moment, start: Moment): number {
  if (until.isDate) return start.isDate ? until.wall : until.wall + dayMs - 1;
  if (start.isDate) return dayOf(until.wall);
  return until.zone.name === floating.name ? until.wall : start.zone.toWall(until.wall);
}

/** Upper bound of an event's duration in milliseconds. */
function lengthOf({ start, end, duration }: CalendarEntry): number {
  if (end) return Math.max(0, end.wall - start.wall) + (start.isDate ? 0 : dayMs);
  return duration ? duration.days * dayMs + duration.ms + dayMs : dayMs;
}

function occurrenceAt(entry: CalendarEntry, wall: number, { range }: ExpandContext): [EventOccurrence] | undefined {
  if (entry.isCancelled) return undefined;
  const { component, start, uid, title } = entry;
  const isAllDay = start.isDate;
  const begin = isAllDay ? wall : start.zone.toInstant(wall);
  const end = Math.max(begin, endOf(entry, wall, begin));
  const [from, to] = isAllDay ? [range.zone.toWall(range.from), range.zone.toWall(range.to)] : [range.from, range.to];
  const overlaps = begin < to && (end > from || (end === begin && begin >= from));
  if (!overlaps) return undefined;
  return [{ uid, title, texts: textsOf(component), isAllDay, start: begin, end }];
}

const texts = new WeakMap<Component, EventTexts>();

function textsOf(component: Component): EventTexts {
  let known = texts.get(component);
  if (!known) {
    const [description, location] = [propertyText(component, "DESCRIPTION"), propertyText(component, "LOCATION")];
    texts.set(component, (known = { description: beginning(description), location: beginning(location) }));
  }
  return known;
}

/** The end of an occurrence. Without DTEND and DURATION, a timed event has no duration and an all-day event one day. */
function endOf({ start, end, duration }: CalendarEntry, wall: number, begin: number): number {
  if (start.isDate) {
    if (end) return wall + Math.max(dayMs, dayOf(end.wall) - start.wall);
    return wall + Math.max(dayMs, (duration?.days ?? 1) * dayMs);
  }
  if (end) return begin + (instantOf(end) - instantOf(start));
  return duration ? start.zone.toInstant(wall + duration.days * dayMs) + duration.ms : begin;
}
