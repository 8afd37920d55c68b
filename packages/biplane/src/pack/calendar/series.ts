import { durationOf, instantOf, momentOf } from "./moment.ts";
import type { Moment, ZoneOf } from "./moment.ts";
import { findProperty, propertyText } from "./parse-ical.ts";
import type { Component } from "./parse-ical.ts";
import { maxShownLength } from "./show-events.ts";
import { secretMargin } from "../shared/shorten-text.ts";

/** A parsed VEVENT. */
export type CalendarEntry = Readonly<NonNullable<ReturnType<typeof entryOf>>>;

/** All entries with one UID: the event, and the overrides of single occurrences. */
export interface EventSeries {
  readonly masters: readonly CalendarEntry[];
  readonly changed: ReadonlyMap<string, CalendarEntry>;
}

/** Groups the events of a calendar by UID. */
export function seriesOf(calendar: Component, zoneOf: ZoneOf): readonly EventSeries[] {
  const byUid = new Map<string, CalendarEntry[]>();
  for (const component of calendar.components) {
    const entry = component.name === "VEVENT" ? entryOf(component, zoneOf) : undefined;
    if (!entry) continue;
    const uid = entry.uid === "" ? `#${byUid.size}` : entry.uid;
    const others = byUid.get(uid);
    if (others) others.push(entry);
    else byUid.set(uid, [entry]);
  }
  return [...byUid.values()].map((entries) => {
    const changed = new Map<string, CalendarEntry>();
    const masters = new Map<string, CalendarEntry>();
    const newest = entries.reduce((max, entry) => (entry.recurrenceId ? max : Math.max(max, entry.sequence)), 0);
    for (const entry of entries) {
      if (!entry.recurrenceId) {
        // A higher SEQUENCE replaces the event. Equal ones count as separate events.
        if (entry.sequence === newest) masters.set(String(entry.start.wall), entry);
        continue;
      }
      const key = occurrenceKey(entry.recurrenceId);
      if (entry.sequence >= (changed.get(key)?.sequence ?? -1)) changed.set(key, entry);
    }
    return { masters: [...masters.values()], changed };
  });
}

function entryOf(component: Component, zoneOf: ZoneOf) {
  const start = momentOf(findProperty(component, "DTSTART"), zoneOf);
  if (!start) return undefined;
  return {
    uid: findProperty(component, "UID")?.value.trim() ?? "",
    title: beginning(propertyText(component, "SUMMARY")),
    component,
    start,
    end: momentOf(findProperty(component, "DTEND"), zoneOf),
    duration: durationOf(findProperty(component, "DURATION")?.value ?? ""),
    recurrenceId: momentOf(findProperty(component, "RECURRENCE-ID"), zoneOf),
    sequence: Math.max(0, Number(findProperty(component, "SEQUENCE")?.value) || 0),
    isCancelled: /^cancelled$/i.test(findProperty(component, "STATUS")?.value.trim() ?? ""),
  };
}

/** More than is shown: secrets are replaced before the rest is cut, and found only as a whole. */
export function beginning(text: string): string {
  return text.slice(0, maxShownLength + secretMargin);
}

/** Identifies an occurrence: dates by day, times by instant. */
export function occurrenceKey(moment: Moment): string {
  return moment.isDate ? `day ${moment.wall}` : `time ${instantOf(moment)}`;
}
