import { durationOf, instantOf, momentOf } from "./moment.ts";
import type { Moment, ZoneOf } from "./moment.ts";
import { find, textOf } from "./parse-ical.ts";
import type { Component } from "./parse-ical.ts";

/** A VEVENT, read. */
export interface Entry {
  readonly uid: string;
  readonly title: string;
  readonly component: Component;
  readonly start: Moment;
  readonly end: Moment | undefined;
  readonly duration: { readonly days: number; readonly ms: number } | undefined;
  readonly recurrenceId: Moment | undefined;
  readonly sequence: number;
  readonly isCancelled: boolean;
}

/** What has one UID: the event, and what was changed of single occurrences. */
export interface Series {
  readonly masters: readonly Entry[];
  readonly changed: ReadonlyMap<string, Entry>;
}

/** The events of a calendar, each with the changes that were made to single occurrences. */
export function seriesOf(calendar: Component, zoneOf: ZoneOf): readonly Series[] {
  const byUid = new Map<string, Entry[]>();
  for (const component of calendar.components) {
    const entry = component.name === "VEVENT" ? entryOf(component, zoneOf) : undefined;
    if (!entry) continue;
    const uid = entry.uid === "" ? `#${byUid.size}` : entry.uid;
    const others = byUid.get(uid);
    if (others) others.push(entry);
    else byUid.set(uid, [entry]);
  }
  return [...byUid.values()].map((entries) => {
    const changed = new Map<string, Entry>();
    const masters = new Map<string, Entry>();
    const newest = entries.reduce((most, entry) => (entry.recurrenceId ? most : Math.max(most, entry.sequence)), 0);
    for (const entry of entries) {
      if (!entry.recurrenceId) {
        // The same UID again is a newer version; two of the same version are two events of a careless program.
        if (entry.sequence === newest) masters.set(String(entry.start.wall), entry);
        continue;
      }
      const key = keyOf(entry.recurrenceId);
      if (entry.sequence >= (changed.get(key)?.sequence ?? -1)) changed.set(key, entry);
    }
    return { masters: [...masters.values()], changed };
  });
}

function entryOf(component: Component, zoneOf: ZoneOf): Entry | undefined {
  const start = momentOf(find(component, "DTSTART"), zoneOf);
  if (!start) return undefined;
  return {
    uid: find(component, "UID")?.value.trim() ?? "",
    title: textOf(component, "SUMMARY"),
    component,
    start,
    end: momentOf(find(component, "DTEND"), zoneOf),
    duration: durationOf(find(component, "DURATION")?.value ?? ""),
    recurrenceId: momentOf(find(component, "RECURRENCE-ID"), zoneOf),
    sequence: Math.max(0, Number(find(component, "SEQUENCE")?.value) || 0),
    isCancelled: /^cancelled$/i.test(find(component, "STATUS")?.value.trim() ?? ""),
  };
}

/** Which occurrence is meant: days by their date, times by their instant. */
export function keyOf(moment: Moment): string {
  return moment.isDate ? `day ${moment.wall}` : `time ${instantOf(moment)}`;
}
