import { Shares } from "@biplane/core/internal";
import { JobWorker } from "../shared/worker/job-worker.ts";
import type { EventOccurrence } from "./expand-series.ts";

export interface CalendarJob {
  /** An iCalendar file. */
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
  /** The name of the time zone in which days are counted. */
  readonly zone: string;
  readonly maxEvents: number;
}

export interface ReadCalendar {
  /** The first ones, in order. */
  readonly events: readonly EventOccurrence[];
  readonly total: number;
  /** Titles of some events whose recurrence could not be computed. */
  readonly skipped: readonly string[];
}

/** Reads calendars in a worker thread: their authors choose how many events and rules there are. */
export type CalendarExpander = JobWorker<CalendarJob, ReadCalendar | undefined>;

export function calendarExpander(): CalendarExpander {
  return new JobWorker({ entry, places: calendarPlaces, preparing: fetchedAtOnce, timeoutMs: 10_000 });
}

/** A call reads up to 50 calendars. Only those that are fetched at once are in memory. */
export const calendarPlaces = new Shares("calendars to read", { perCaller: 200, total: 1000 });
export const fetchedAtOnce = 8;

const entry = { name: "calendar", source: new URL("./calendar-worker.ts", import.meta.url) } as const;
