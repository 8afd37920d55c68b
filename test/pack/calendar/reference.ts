import ICAL from "ical.js";

export interface Expected {
  readonly title: string;
  readonly start: string;
  readonly end: string;
}

/** What another parser makes of a calendar: everything that touches a span, as instants or dates. */
export function reference(text: string, span: { from: number; to: number }): readonly Expected[] {
  const calendar = new ICAL.Component(ICAL.parse(text) as unknown[]);
  for (const zone of calendar.getAllSubcomponents("vtimezone")) ICAL.TimezoneService.register(zone);
  const events = calendar.getAllSubcomponents("vevent").map((component) => new ICAL.Event(component));
  const found: Expected[] = [];
  for (const event of events.filter((event) => !event.isRecurrenceException())) {
    for (const other of events)
      if (other.isRecurrenceException() && other.uid === event.uid) event.relateException(other);
    if (!event.isRecurring()) {
      found.push(...inside(event, { startDate: event.startDate, endDate: event.endDate }, span));
      continue;
    }
    const iterator = event.iterator();
    const limit = span.to + 90 * 86_400_000;
    for (let next = iterator.next(); next && next.toUnixTime() * 1000 < limit; next = iterator.next()) {
      const { item, startDate, endDate } = event.getOccurrenceDetails(next);
      found.push(...inside(item, { startDate, endDate }, span));
    }
  }
  return found.toSorted((one, other) => order(one).localeCompare(order(other)));
}

export function order({ start, title }: Expected): string {
  return `${start} ${title}`;
}

function inside(
  event: ICAL.Event,
  { startDate, endDate }: { startDate: ICAL.Time; endDate: ICAL.Time },
  span: { from: number; to: number },
): readonly Expected[] {
  if (event.component.getFirstPropertyValue("status") === "CANCELLED") return [];
  const text = (time: ICAL.Time) => (time.isDate ? time.toString() : new Date(time.toUnixTime() * 1000).toISOString());
  const millis = (time: ICAL.Time) =>
    time.isDate ? Date.parse(`${time.toString()}T00:00Z`) : time.toUnixTime() * 1000;
  const [begin, end] = [millis(startDate), millis(endDate)];
  if (begin >= span.to || end < span.from || (end === span.from && begin !== end)) return [];
  return [{ title: event.summary, start: text(startDate), end: text(endDate) }];
}
