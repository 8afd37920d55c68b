import type { Redacting } from "../shared/shorten-text.ts";
import type { EventOccurrence, EventTexts } from "./expand-series.ts";
import { dayMs, dayOf } from "./moment.ts";
import type { TimeZone } from "./zone.ts";

/** An occurrence with its calendar's name. */
export interface ListedEvent extends EventOccurrence {
  readonly calendar: string;
}

/** Removes secrets from events, and cuts their texts. */
export function redactEvents(events: readonly ListedEvent[], call: Redacting): readonly ListedEvent[] {
  const known = new Map<EventTexts, Pick<ListedEvent, "title" | "texts">>();
  const redact = ({ title, texts: { description, location } }: ListedEvent) => ({
    title: beginning(title),
    texts: { description: beginning(description), location: beginning(location) },
  });
  const beginning = (text: string) =>
    `${call.redact(text, { start: 0, end: maxShownLength })}${text.length > maxShownLength ? "…" : ""}`;
  return events.map((event) => {
    const redacted = known.get(event.texts) ?? redact(event);
    known.set(event.texts, redacted);
    return { ...event, ...redacted };
  });
}

/** Maximum characters of a title, description or location. */
export const maxShownLength = 2000;

/** Sorts events by day, all-day events first, then by time. */
export function sortEvents<Event extends EventOccurrence>(
  events: readonly Event[],
  options: { zone: TimeZone; from: number },
): readonly Event[] {
  const { zone, from } = options;
  const today = zone.toWall(from);
  return events
    .map((event) => ({ event, wall: event.isAllDay ? event.start : zone.toWall(event.start) }))
    .map(({ event, wall }) => ({ event, wall, day: dayOf(Math.max(wall, today)) }))
    .toSorted(
      (one, other) =>
        one.day - other.day ||
        Number(other.event.isAllDay) - Number(one.event.isAllDay) ||
        one.wall - other.wall ||
        one.event.title.localeCompare(other.event.title, "en"),
    )
    .map(({ event }) => event);
}

/** Formats events by day. */
export function showEvents(
  events: readonly ListedEvent[],
  options: { zone: TimeZone; from: number; showsCalendar: boolean },
): string {
  const { zone, from, showsCalendar } = options;
  const today = zone.toWall(from);
  const lines: string[] = [];
  let lastDay = NaN;
  for (const event of events) {
    const wall = event.isAllDay ? event.start : zone.toWall(event.start);
    const day = dayOf(Math.max(wall, today));
    if (day !== lastDay) lines.push(...(lines.length > 0 ? [""] : []), `## ${dayName(day)}`);
    lastDay = day;
    lines.push(`- [${timesOf(event, zone, day)}] ${oneLine(event.title) || "(no title)"}`);
    if (showsCalendar) lines.push(`  Calendar: ${event.calendar}`);
    const { location, description } = event.texts;
    if (location !== "") lines.push(`  Location: ${shortened(location)}`);
    if (description !== "") lines.push(`  Description: ${shortened(description)}`);
  }
  return lines.join("\n");
}

/** An event as structured data: inclusive dates for all-day events, times with UTC offset. */
export function eventData(event: ListedEvent, zone: TimeZone): Record<string, unknown> {
  const { calendar, title, isAllDay, start, end } = event;
  const { location, description } = event.texts;
  return {
    calendar,
    title,
    all_day: isAllDay,
    start: isAllDay ? dateText(start) : instantText(start, zone),
    end: isAllDay ? dateText(end - dayMs) : instantText(end, zone),
    ...(location !== "" && { location }),
    ...(description !== "" && { description }),
  };
}

function timesOf({ isAllDay, start, end }: ListedEvent, zone: TimeZone, shownDay: number): string {
  if (isAllDay) {
    const last = end - dayMs;
    return last > shownDay ? `All day until ${dayName(last)}` : "All day";
  }
  const [begin, over] = [zone.toWall(start), zone.toWall(end)];
  const first = dayOf(begin) < shownDay ? `${dayName(begin)} ${clockText(begin)}` : clockText(begin);
  if (over === begin) return first;
  return dayOf(over) > shownDay ? `${first}-${dayName(over)} ${clockText(over)}` : `${first}-${clockText(over)}`;
}

const dayFormat = new Intl.DateTimeFormat("en-US", { weekday: "long", month: "long", day: "numeric", timeZone: "UTC" });

function dayName(wall: number): string {
  return dayFormat.format(wall);
}

function clockText(wall: number): string {
  return new Date(wall).toISOString().slice(11, 16);
}

function dateText(wall: number): string {
  return new Date(wall).toISOString().slice(0, 10);
}

function instantText(instant: number, zone: TimeZone): string {
  const wall = zone.toWall(instant);
  const minutes = Math.round((wall - instant) / 60_000);
  const pad = (number: number) => String(number).padStart(2, "0");
  const away = Math.abs(minutes);
  const offset = minutes === 0 ? "Z" : `${minutes < 0 ? "-" : "+"}${pad(Math.floor(away / 60))}:${pad(away % 60)}`;
  return `${new Date(wall).toISOString().slice(0, 19)}${offset}`;
}

function shortened(text: string): string {
  const line = oneLine(text);
  return line.length > 200 ? `${line.slice(0, 200).replace(/[\ud800-\udbff]$/, "")}…` : line;
}

/** Removes line breaks, which could fake another event. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
