import { dayMs, dayOf, instantOf, momentsOf } from "./moment.ts";
import type { Moment, ZoneOf } from "./moment.ts";
import { occurrences } from "./occurrences.ts";
import type { Budget } from "./occurrences.ts";
import { findAll, textOf } from "./parse-ical.ts";
import type { Component } from "./parse-ical.ts";
import { floating, parseRule } from "./recurrence-rule.ts";
import { keyOf } from "./series.ts";
import type { Entry, Series } from "./series.ts";
import type { Zone } from "./zone.ts";

/** One event as it takes place: for one of whole days, `start` and `end` are wall times at midnight. */
export interface Happening {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly location: string;
  readonly isAllDay: boolean;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** All that takes place between two instants, as a clock of `zone` counts days; in no order. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly zone: Zone;
}

interface Context {
  readonly span: Span;
  readonly zoneOf: ZoneOf;
  readonly budget: Budget;
}

/** When the events of one series take place, as far as that touches the span. */
export function happeningsOf({ masters, changed }: Series, context: Context): readonly Happening[] {
  const found = [...changed.values()].flatMap((entry) => happeningAt(entry, entry.start.wall, context) ?? []);
  for (const master of masters) {
    if (master.isCancelled) continue;
    const isGone = exceptionsOf(master, changed, context);
    for (const wall of wallsOf(master, context)) {
      if (!isGone(wall)) found.push(...(happeningAt(master, wall, context) ?? []));
    }
  }
  return found;
}

/** Says of an occurrence whether it was taken out, or moved and is listed by itself. */
function exceptionsOf(
  { component, start }: Entry,
  changed: Series["changed"],
  { zoneOf }: Context,
): (wall: number) => boolean {
  const taken = new Set(changed.keys());
  for (const property of findAll(component, "EXDATE")) {
    for (const moment of momentsOf(property, zoneOf)) {
      taken.add(keyOf(moment));
      // Exchange takes a day out of a series of days by a time on that day.
      if (start.isDate) taken.add(`day ${dayOf(moment.wall)}`);
    }
  }
  if (taken.size === 0) return () => false;
  return (wall) =>
    taken.has(`day ${dayOf(wall)}`) || (!start.isDate && taken.has(`time ${start.zone.toInstant(wall)}`));
}

/** The wall times at which an event could touch the span, the first one and added ones included. */
function wallsOf(entry: Entry, { span, zoneOf, budget }: Context): readonly number[] {
  const { component, start } = entry;
  const length = lengthOf(entry);
  const from = span.from - length - slackMs;
  const to = span.to + slackMs;
  const walls = new Set<number>();
  const rules = findAll(component, "RRULE").slice(0, 10);
  if (rules.length === 0) walls.add(start.wall);
  for (const { value } of rules) {
    const rule = parseRule(value, { untilOf: (until) => untilOf(until, start) });
    // A rule that nobody can read still leaves the event itself.
    if (!rule) walls.add(start.wall);
    else for (const wall of occurrences(rule, start.wall, { from, to, budget })) walls.add(wall);
  }
  for (const property of findAll(component, "RDATE")) {
    for (const moment of momentsOf(property, zoneOf)) {
      walls.add(start.isDate || moment.isDate ? dayOf(moment.wall) : start.zone.toWall(instantOf(moment)));
    }
  }
  return [...walls].filter((wall) => wall >= from && wall <= to);
}

/** More than any zone is away from UTC, so that wall time can be compared with instants roughly. */
const slackMs = 2 * dayMs;

/** UNTIL in the wall time of the event: a bare date means all of that day. */
function untilOf(until: Moment, start: Moment): number {
  if (until.isDate) return start.isDate ? until.wall : until.wall + dayMs - 1;
  if (start.isDate) return dayOf(until.wall);
  return until.zone.name === floating.name ? until.wall : start.zone.toWall(until.wall);
}

/** How long an event takes at most, in milliseconds. */
function lengthOf({ start, end, duration }: Entry): number {
  if (end) return Math.max(0, end.wall - start.wall) + (start.isDate ? 0 : dayMs);
  return duration ? duration.days * dayMs + duration.ms + dayMs : dayMs;
}

function happeningAt(entry: Entry, wall: number, { span }: Context): [Happening] | undefined {
  if (entry.isCancelled) return undefined;
  const { component, start, uid, title } = entry;
  const isAllDay = start.isDate;
  const begin = isAllDay ? wall : start.zone.toInstant(wall);
  const end = Math.max(begin, endOf(entry, wall, begin));
  const [from, to] = isAllDay ? [span.zone.toWall(span.from), span.zone.toWall(span.to)] : [span.from, span.to];
  const isInside = begin < to && (end > from || (end === begin && begin >= from));
  if (!isInside) return undefined;
  return [{ uid, title, ...textsOf(component), isAllDay, start: begin, end }];
}

/** An event that takes place a thousand times is read once. */
const texts = new WeakMap<Component, { description: string; location: string }>();

function textsOf(component: Component): { description: string; location: string } {
  let known = texts.get(component);
  if (!known) {
    const [description, location] = [textOf(component, "DESCRIPTION"), textOf(component, "LOCATION")];
    texts.set(component, (known = { description: description.slice(0, 4000), location: location.slice(0, 1000) }));
  }
  return known;
}

/** An event that says no end is over at once, or lasts its day. */
function endOf({ start, end, duration }: Entry, wall: number, begin: number): number {
  if (start.isDate) {
    if (end) return wall + Math.max(dayMs, dayOf(end.wall) - start.wall);
    return wall + Math.max(dayMs, (duration?.days ?? 1) * dayMs);
  }
  if (end) return begin + (instantOf(end) - instantOf(start));
  return duration ? start.zone.toInstant(wall + duration.days * dayMs) + duration.ms : begin;
}
