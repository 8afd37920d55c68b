import { expandSeries } from "./expand-series.ts";
import type { EventOccurrence, TimeRange } from "./expand-series.ts";
import type { ZoneOf } from "./moment.ts";
import type { StepBudget } from "./recurrence-times.ts";
import { findProperty, parseIcal } from "./parse-ical.ts";
import type { Component } from "./parse-ical.ts";
import { ruledZone } from "./ruled-zone.ts";
import { seriesOf } from "./series.ts";
import { namedZone } from "./zone.ts";
import type { TimeZone } from "./zone.ts";

/** Parses iCalendar text and computes the occurrences in a time range. Events that take too long are skipped. */
export function readCalendarEvents(text: string, range: TimeRange) {
  const calendars = parseIcal(text).filter(({ name }) => name === "VCALENDAR");
  const occurrences: EventOccurrence[] = [];
  /** Their titles. */
  const skipped: string[] = [];
  let steps = stepsPerCalendar;
  for (const calendar of calendars) {
    const zoneOf = zonesOf(calendar, range.zone);
    for (const series of seriesOf(calendar, zoneOf)) {
      const budget: StepBudget = { steps: Math.min(steps, stepsPerEvent) };
      steps -= budget.steps;
      try {
        for (const occurrence of expandSeries(series, { range, zoneOf, budget })) occurrences.push(occurrence);
        steps += budget.steps;
      } catch {
        skipped.push(series.masters[0]?.title ?? "an event"); // its rule exceeded the budget
      }
    }
  }
  return { occurrences, skipped };
}

/** A daily event over a century takes 40,000 steps. */
const stepsPerEvent = 50_000;
const stepsPerCalendar = 500_000;

/** Resolves a TZID: an IANA zone, else the calendar's own definition, else the display zone. */
function zonesOf(calendar: Component, own: TimeZone): ZoneOf {
  const defined = new Map<string, Component>();
  for (const each of calendar.components) {
    if (each.name === "VTIMEZONE")
      defined.set(findProperty(each, "TZID")?.value.trim().replaceAll('"', "") ?? "", each);
  }
  const found = new Map<string, TimeZone>();
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
