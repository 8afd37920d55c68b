import { setMaxListeners } from "node:events";
import { BiplaneError } from "@biplane/core";
import { chargedTo, messageOf } from "@biplane/core/internal";
import type { Call, Pack } from "@biplane/core";
import { boolean, list, object, text } from "../../schema/builders.ts";
import type { NetworkOverrides } from "../shared/net/network-guard.ts";
import { shortenText } from "../shared/shorten-text.ts";
import { calendarReader } from "./calendar-source.ts";
import type { CalendarReader } from "./calendar-source.ts";
import { calendarExpander } from "./calendar-expander.ts";
import type { CalendarExpander } from "./calendar-expander.ts";
import type { TimeRange } from "./expand-series.ts";
import { calendarOptions } from "./options.ts";
import type { CalendarOptions, CalendarSource } from "./options.ts";
import { readOptions } from "../shared/options.ts";
import { allOptional, packTool, textReply } from "../shared/pack-tool.ts";
import { eventData, redactEvents, sortEvents, showEvents } from "./show-events.ts";
import type { ListedEvent } from "./show-events.ts";
import { namedZone } from "./zone.ts";
import type { TimeZone } from "./zone.ts";

interface Calendar {
  readonly name: string;
  readonly read: CalendarReader;
}

/** The tool `calendar_read`. Calendar URLs are treated as secrets. */
export function calendarPack(options: CalendarOptions, overrides: NetworkOverrides = {}): Pack {
  const { now = Date.now, lookup } = overrides;
  const {
    calendars: sources,
    timeZone,
    ...limits
  } = readOptions(options, { pack: "calendarPack", schema: calendarOptions });
  const zone = displayZone(timeZone);
  const calendars = sources.map((source): Calendar => {
    return { name: source.name, read: calendarReader(source, { ...limits, ...(lookup && { lookup }) }) };
  });
  if (new Set(calendars.map(({ name }) => name.toLowerCase())).size < calendars.length) {
    throw new BiplaneError("INVALID_DEFINITION", "Two calendars have the same name.");
  }
  const expander = calendarExpander();
  return {
    name: "calendar",
    secrets: secretsOf(sources),
    tools: [
      packTool({
        name: "calendar_read",
        title: "Read calendars",
        description: `List upcoming events, including recurring ones, in the time zone ${zone.name}. Calendars: ${calendars.map(({ name }) => name).join(", ") || "none"}.`,
        input: allOptional({
          calendar: {
            type: "string",
            minLength: 1,
            maxLength: 80,
            description: "The name of one calendar (default: all)",
          },
          days: { type: "integer", minimum: 1, maximum: 366, default: 7, description: "Number of days to list" },
        }),
        output,
        idempotent: true,
        annotations: { readOnlyHint: true, openWorldHint: true },
        run: async ({ calendar, days }, call) => {
          const from = now();
          const range = { from, to: zone.toInstant(zone.toWall(from) + days * 86_400_000), zone };
          const { events, total, problems } = await readAll(chosen(calendars, calendar), { expander, range, call });
          const listed = redactEvents(sortEvents(events, { zone, from }).slice(0, maxEvents), call);
          const body = showEvents(listed, { zone, from, showsCalendar: calendars.length > 1 });
          const next = days === 1 ? "1 day" : `${days} days`;
          const found =
            listed.length === 0 ? `No events in the next ${next}` : `Events in the next ${next}:\n\n${body}`;
          const head = calendars.length === 0 ? "No calendars configured" : found;
          const more = total > listed.length ? [`\n${total - listed.length} more events are not shown`] : [];
          const shown = [head, ...more, ...problems.map((each) => `\n${each}`)].join("\n");
          const data = listed.map((event) => eventData(event, zone));
          return textReply(shown, { time_zone: zone.name, events: data, problems });
        },
      }),
    ],
    close: () => expander[Symbol.asyncDispose](),
  };
}

const maxEvents = 500;

const output = object({
  time_zone: text,
  events: list(
    object(
      {
        calendar: text,
        title: text,
        all_day: boolean,
        start: { type: "string", description: "A time with UTC offset; for all-day events, the first date" },
        end: { type: "string", description: "A time with UTC offset; for all-day events, the last date" },
      },
      { location: text, description: text },
    ),
  ),
  problems: { type: "array", items: text, description: "Calendars and events that could not be read" },
});

function chosen(calendars: readonly Calendar[], name: string | undefined): readonly Calendar[] {
  if (name === undefined) return calendars;
  const found = calendars.find((calendar) => calendar.name.toLowerCase() === name.trim().toLowerCase());
  if (found) return [found];
  const known = calendars.map((calendar) => calendar.name).join(", ");
  throw new BiplaneError("INVALID_INPUT", `calendar '${name}' not found. Known calendars: ${known || "none"}.`);
}

/** Reads all calendars. Throws only if all of them fail. */
async function readAll(
  calendars: readonly Calendar[],
  options: { readonly expander: CalendarExpander; readonly range: TimeRange; readonly call: Call },
): Promise<{ events: readonly ListedEvent[]; total: number; problems: readonly string[] }> {
  const { expander, range, call } = options;
  const job = { caller: chargedTo(call.principal), signal: call.signal };
  const { from, to, zone } = range;
  setMaxListeners(calendars.length * 2 + 10, job.signal); // Otherwise Node warns of a leak.
  const events: ListedEvent[] = [];
  let total = 0;
  const problems: string[] = [];
  const settled = await Promise.allSettled(
    calendars.map(async ({ name, read }) => {
      const prepare = async () => ({ bytes: await read(job.signal), from, to, zone: zone.name, maxEvents });
      return expander.run(prepare, { ...job, failure: `'${name}': The calendar cannot be read` });
    }),
  );
  const failures = settled.filter(({ status }) => status === "rejected");
  const [failure] = failures;
  if (failure?.status === "rejected" && failures.length === calendars.length) throw failure.reason;
  for (const [index, each] of settled.entries()) {
    const { name = "" } = calendars[index] ?? {};
    if (each.status === "rejected") {
      problems.push(messageOf(each.reason));
      continue;
    }
    if (!each.value) {
      problems.push(`'${name}' is not an iCal calendar`);
      continue;
    }
    for (const event of each.value.events) events.push({ ...event, calendar: name });
    total += each.value.total;
    for (const title of each.value.skipped)
      problems.push(`'${name}': ${shortenText(title, 80, call)} has a recurrence that takes too long to compute`);
  }
  return { events, total, problems };
}

function displayZone(name: string | undefined): TimeZone {
  const wanted = name ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zone = namedZone(wanted);
  if (!zone) {
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `timeZone: ${JSON.stringify(wanted)} is not a time zone such as Europe/Berlin.`,
    );
  }
  return zone;
}

function secretsOf(sources: readonly CalendarSource[]): Record<string, string> {
  const secrets: Record<string, string> = {};
  for (const source of sources) {
    if (!("url" in source)) continue;
    const plain = source.name
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, "_")
      .slice(0, 40);
    let key = `CALENDAR_${plain}_URL`;
    for (let again = 2; key in secrets; again++) key = `CALENDAR_${plain}_${again}_URL`;
    secrets[key] = source.url;
  }
  return secrets;
}
