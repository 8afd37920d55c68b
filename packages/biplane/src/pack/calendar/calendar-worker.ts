import { decodeText } from "@biplane/core/internal";
import { answerJobs } from "../shared/worker/answer-jobs.ts";
import type { CalendarJob, ReadCalendar } from "./calendar-expander.ts";
import { readCalendarEvents } from "./read-events.ts";
import { sortEvents } from "./show-events.ts";
import { namedZone, utc } from "./zone.ts";

/** Worker entry. Reads a calendar in a thread that can be terminated if it takes too long. */
answerJobs((job: CalendarJob): ReadCalendar | undefined => {
  const bytes = Buffer.from(job.bytes);
  const text = decodeText(bytes) ?? bytes.toString();
  if (!/BEGIN:VCALENDAR/i.test(text)) return undefined;
  const { from, to, maxEvents } = job;
  const zone = namedZone(job.zone) ?? utc;
  const { occurrences, skipped } = readCalendarEvents(text, { from, to, zone });
  const events = sortEvents(occurrences, { zone, from }).slice(0, maxEvents);
  return { events, total: occurrences.length, skipped: skipped.slice(0, 10) };
});
