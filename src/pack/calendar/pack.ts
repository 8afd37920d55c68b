import { BiplaneError, messageOf } from "../../errors.ts";
import type { Pack } from "../../server/pack.ts";
import { reply, text } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import type { GuardOptions } from "../net/guard.ts";
import { calendarReader } from "./calendar-source.ts";
import type { ReadCalendar } from "./calendar-source.ts";
import type { CalendarOptions, CalendarSource } from "./options.ts";
import { readEvents } from "./read-events.ts";
import { eventData, inOrder, showEvents } from "./show-events.ts";
import type { Listed } from "./show-events.ts";
import { namedZone } from "./zone.ts";
import type { Zone } from "./zone.ts";

/** What tests put in the place of the world. */
type World = Pick<GuardOptions, "lookup" | "now">;

interface Calendar {
  readonly name: string;
  readonly read: ReadCalendar;
}

/** Reads calendars: one tool, `calendar_read`. Addresses of calendars are secrets of the pack. */
export function calendarPack(options: CalendarOptions, world: World = {}): Pack {
  const { now = Date.now, lookup } = world;
  const zone = displayZone(options.timeZone);
  const limits = { timeoutMs: options.timeoutMs ?? 15_000, maxBytes: options.maxBytes ?? 10 * 2 ** 20 };
  const calendars = options.calendars.map((source): Calendar => {
    return { name: source.name, read: calendarReader(source, { ...limits, ...(lookup && { lookup }) }) };
  });
  if (new Set(calendars.map(({ name }) => name.toLowerCase())).size < calendars.length) {
    throw new BiplaneError("INVALID_DEFINITION", "two calendars have the same name");
  }
  return {
    name: "calendar",
    secrets: secretsOf(options.calendars),
    tools: [
      tool({
        name: "calendar_read",
        title: "Read calendars",
        description: `List events of the next days, recurring ones included, in the time zone ${zone.name}. Calendars: ${calendars.map(({ name }) => name).join(", ") || "none"}.`,
        input: {
          type: "object",
          properties: {
            calendar: { type: "string", minLength: 1, description: "The name of one calendar; left out: all of them" },
            days: { type: "integer", minimum: 1, maximum: 366, default: 7, description: "How many days ahead to look" },
          },
        },
        output,
        timeoutMs: 30_000,
        idempotent: true,
        annotations: { readOnlyHint: true, openWorldHint: true },
        run: async (input, { signal }) => {
          const { calendar, days = 7 } = input as { calendar?: string; days?: number };
          const from = now();
          const span = { from, to: zone.toInstant(zone.toWall(from) + days * 86_400_000), zone };
          const { events, problems } = await readAll(chosen(calendars, calendar), span, signal);
          if (calendars.length === 0) return answer("No calendars configured", { zone, events, problems });
          const listed = inOrder(events, { zone, from }).slice(0, mostEvents);
          const body = showEvents(listed, { zone, from, showsCalendar: calendars.length > 1 });
          const next = days === 1 ? "1 day" : `${days} days`;
          const head = listed.length === 0 ? `No events in the next ${next}` : `Events in the next ${next}:\n\n${body}`;
          const more = events.length > mostEvents ? [`\n${events.length - mostEvents} more events are not shown`] : [];
          return answer([head, ...more, ...problems.map((each) => `\n${each}`)].join("\n"), {
            zone,
            events: listed,
            problems,
          });
        },
      }),
    ],
  };
}

const mostEvents = 500;

const output = {
  type: "object",
  required: ["time_zone", "events", "problems"],
  properties: {
    time_zone: { type: "string" },
    events: {
      type: "array",
      items: {
        type: "object",
        required: ["calendar", "title", "all_day", "start", "end"],
        properties: {
          calendar: { type: "string" },
          title: { type: "string" },
          all_day: { type: "boolean" },
          start: { type: "string", description: "A time with its offset; of whole days, the first date" },
          end: { type: "string", description: "A time with its offset; of whole days, the last date" },
          location: { type: "string" },
          description: { type: "string" },
        },
      },
    },
    problems: { type: "array", items: { type: "string" }, description: "What could not be read" },
  },
};

function answer(shown: string, result: { zone: Zone; events: readonly Listed[]; problems: readonly string[] }) {
  const { zone, events, problems } = result;
  const structured = { time_zone: zone.name, events: events.map((event) => eventData(event, zone)), problems };
  return reply(text(shown), { structured });
}

function chosen(calendars: readonly Calendar[], name: string | undefined): readonly Calendar[] {
  if (name === undefined) return calendars;
  const found = calendars.find((calendar) => calendar.name.toLowerCase() === name.trim().toLowerCase());
  if (found) return [found];
  const known = calendars.map((calendar) => calendar.name).join(", ");
  throw new BiplaneError("INVALID_INPUT", `calendar '${name}' not found; there are: ${known || "none"}`);
}

/** One calendar that cannot be read does not keep the others from being shown; all of them failing is a failure. */
async function readAll(
  calendars: readonly Calendar[],
  span: Parameters<typeof readEvents>[1],
  signal: AbortSignal,
): Promise<{ events: readonly Listed[]; problems: readonly string[] }> {
  const events: Listed[] = [];
  const problems: string[] = [];
  const texts = await Promise.allSettled(calendars.map(({ read }) => read(signal)));
  const failures = texts.filter(({ status }) => status === "rejected");
  const [failure] = failures;
  if (failure?.status === "rejected" && failures.length === calendars.length) throw failure.reason;
  for (const [index, settled] of texts.entries()) {
    const { name = "" } = calendars[index] ?? {};
    if (settled.status === "rejected") {
      problems.push(messageOf(settled.reason));
      continue;
    }
    if (!/BEGIN:VCALENDAR/i.test(settled.value)) {
      problems.push(`'${name}' is not an iCal calendar`);
      continue;
    }
    const { happenings, skipped } = readEvents(settled.value, span);
    for (const happening of happenings) events.push({ ...happening, calendar: name });
    for (const title of skipped.slice(0, 10))
      problems.push(`'${name}': ${title.slice(0, 80)} recurs in a way that takes too long to work out`);
  }
  return { events, problems };
}

function displayZone(name: string | undefined): Zone {
  const wanted = name ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zone = namedZone(wanted);
  if (!zone) {
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `timeZone: ${JSON.stringify(wanted)} is not a zone such as Europe/Berlin`,
    );
  }
  return zone;
}

function secretsOf(sources: readonly CalendarSource[]): Record<string, string> {
  const secrets: Record<string, string> = {};
  for (const { name, url } of sources) {
    if (url === undefined) continue;
    const plain = name
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, "_")
      .slice(0, 40);
    let key = `CALENDAR_${plain}_URL`;
    for (let again = 2; key in secrets; again++) key = `CALENDAR_${plain}_${again}_URL`;
    secrets[key] = url;
  }
  return secrets;
}
