import { happeningsOf } from "./happenings.ts";
import type { Happening, Span } from "./happenings.ts";
import type { ZoneOf } from "./moment.ts";
import type { Budget } from "./occurrences.ts";
import { find, parseIcal } from "./parse-ical.ts";
import type { Component } from "./parse-ical.ts";
import { ruledZone } from "./ruled-zone.ts";
import { seriesOf } from "./series.ts";
import { namedZone } from "./zone.ts";
import type { Zone } from "./zone.ts";

export interface EventsRead {
  readonly happenings: readonly Happening[];
  /** Titles of events that could not be worked out. */
  readonly skipped: readonly string[];
}

/** Reads iCalendar text and works out what takes place in a span of time. */
export function readEvents(text: string, span: Span): EventsRead {
  const calendars = parseIcal(text).filter(({ name }) => name === "VCALENDAR");
  const happenings: Happening[] = [];
  const skipped: string[] = [];
  let steps = stepsInAll;
  for (const calendar of calendars) {
    const zoneOf = zonesOf(calendar, span.zone);
    for (const series of seriesOf(calendar, zoneOf)) {
      const budget: Budget = { steps: Math.min(steps, stepsPerEvent) };
      steps -= budget.steps;
      try {
        for (const happening of happeningsOf(series, { span, zoneOf, budget })) happenings.push(happening);
        steps += budget.steps;
      } catch {
        skipped.push(series.masters[0]?.title ?? "an event"); // its rule asks for more than a calendar may
      }
    }
  }
  return { happenings, skipped };
}

/** A daily event of a century takes 40,000; a calendar may not keep the server busy for more than a moment. */
const stepsPerEvent = 50_000;
const stepsInAll = 500_000;

/** A zone by its identifier: the world's, else the calendar's own. Unknown ones and none at all are the reader's. */
function zonesOf(calendar: Component, own: Zone): ZoneOf {
  const defined = new Map<string, Component>();
  for (const each of calendar.components) {
    if (each.name === "VTIMEZONE") defined.set(find(each, "TZID")?.value.trim().replaceAll('"', "") ?? "", each);
  }
  const found = new Map<string, Zone>();
  return (tzid) => {
    if (tzid === undefined) return own;
    let zone = found.get(tzid);
    if (!zone) {
      const definition = defined.get(tzid);
      zone = namedZone(tzid) ?? (definition && ruledZone(definition)) ?? own;
      if (found.size < 1000) found.set(tzid, zone);
    }
    return zone;
  };
}
