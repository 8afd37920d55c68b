import type { ValueOf } from "@biplane/core/internal";
import { anyOf, described, object } from "../../schema/builders.ts";
import { count, optionsOf, path } from "../shared/options.ts";

const name = { type: "string", minLength: 1, maxLength: 80, description: "Name of the calendar in results" } as const;

const url = {
  type: "string",
  minLength: 1,
  description:
    "An iCal URL (https, http or webcal). It is treated as a secret. Write `${NAME}` to read it from a secret",
} as const;

const source = anyOf(object({ name, url }), object({ name, file: path("Path of an .ics file, instead of a URL") }));

/** A calendar by its private URL or as a file. */
export type CalendarSource = ValueOf<typeof source>;

export const calendarOptions = optionsOf(
  { calendars: described("The calendars to read", { type: "array", maxItems: 50, items: source }) },
  {
    timeZone: { type: "string", description: "An IANA time zone such as `Europe/Berlin` (default: the machine's)" },
    timeoutMs: { ...count(15_000, "Time limit for fetching one calendar, in milliseconds"), maximum: 30_000 },
    maxBytes: count(10 * 2 ** 20, "Maximum size of a calendar in bytes"),
  },
);

export type CalendarOptions = ValueOf<typeof calendarOptions>;
