import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { calendarOptions } from "../../../packages/biplane/src/pack/calendar/options.ts";
import type { CalendarOptions } from "../../../packages/biplane/src/pack/calendar/options.ts";
import { calendarPack } from "../../../packages/biplane/src/pack/calendar/pack.ts";
import { compileConfig } from "../../../packages/core/src/tool/schema.ts";
import { heldMs } from "../../support/hold-meter.ts";
import { LocalSite } from "../net/local-site.ts";
import { PackServer } from "../pack-server.ts";

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}.ics`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "biplane-calendar-"));
afterAll(() => rmSync(folder, { recursive: true }));

let site: LocalSite;
beforeAll(async () => {
  site = await LocalSite.open((_, response) => response.end());
});
afterAll(() => site[Symbol.asyncDispose]());

function calendars(options: Partial<CalendarOptions>, now = "2026-03-27T12:00:00Z"): PackServer {
  const all = { calendars: [], timeZone: "Europe/Berlin", ...options };
  return new PackServer(calendarPack(all, { now: () => Date.parse(now) }));
}

function file(...events: readonly string[]): string {
  const path = join(folder, `${Math.random()}.ics`);
  const text = events.map(
    (event, at) => `BEGIN:VEVENT\r\nUID:${at}\r\n${event.replaceAll("\n", "\r\n")}\r\nEND:VEVENT`,
  );
  writeFileSync(path, ["BEGIN:VCALENDAR", ...text, "END:VCALENDAR", ""].join("\r\n"));
  return path;
}

describe("what is shown", () => {
  test("the events of the next days, day by day, those of whole days first", async () => {
    const subject = calendars({ calendars: [{ name: "Team", file: fixture("google") }] });
    expect(await subject.text("calendar_read", { days: 6 })).toBe(
      [
        "Events in the next 6 days:",
        "",
        "## Saturday, March 28",
        "- [All day until Monday, March 30] Trade fair",
        "- [11:00-11:15] Standup (brought forward from May)",
        "",
        "## Sunday, March 29",
        "- [01:30-03:30] Across the change of clocks",
        "",
        "## Wednesday, April 1",
        "- [14:00-14:15] Standup (moved to the afternoon)",
      ].join("\n"),
    );
  });

  test("location and description, the latter shortened, and the calendar's name where there are several", async () => {
    const long = `DTSTART:20260328T100000Z\nDTEND:20260328T110000Z\nSUMMARY:Talk\nLOCATION:Hall\\nUpstairs\nDESCRIPTION:${"word ".repeat(100)}`;
    const subject = calendars({
      calendars: [
        { name: "A", file: file(long) },
        { name: "B", file: file() },
      ],
    });
    const shown = await subject.text("calendar_read", {});
    expect(shown).toContain("- [11:00-12:00] Talk\n  Calendar: A\n  Location: Hall Upstairs\n  Description: word word");
    expect(shown.split("\n").every((line) => line.length < 230)).toBe(true);
    expect(await subject.call("calendar_read", {})).toEqual({
      time_zone: "Europe/Berlin",
      problems: [],
      events: [
        {
          calendar: "A",
          title: "Talk",
          all_day: false,
          start: "2026-03-28T11:00:00+01:00",
          end: "2026-03-28T12:00:00+01:00",
          location: "Hall\nUpstairs",
          description: "word ".repeat(100).trim(),
        },
      ],
    });
  });

  test("events that run now, for days or across midnight, with the day they began or end", async () => {
    const events = [
      "SUMMARY:trip\nDTSTART;VALUE=DATE:20260320\nDTEND;VALUE=DATE:20260402",
      "SUMMARY:night\nDTSTART:20260328T220000Z\nDTEND:20260329T040000Z",
      "SUMMARY:since yesterday\nDTSTART:20260326T080000Z\nDTEND:20260327T180000Z",
      "SUMMARY:over an hour ago\nDTSTART:20260327T100000Z\nDTEND:20260327T110000Z",
      "SUMMARY:reminder\nDTSTART:20260328T090000Z",
    ];
    const subject = calendars({ calendars: [{ name: "A", file: file(...events) }] });
    expect(await subject.text("calendar_read", { days: 2 })).toBe(
      [
        "Events in the next 2 days:",
        "",
        "## Friday, March 27",
        "- [All day until Wednesday, April 1] trip",
        "- [Thursday, March 26 09:00-19:00] since yesterday",
        "",
        "## Saturday, March 28",
        "- [10:00] reminder",
        "- [23:00-Sunday, March 29 06:00] night",
      ].join("\n"),
    );
    expect(await subject.call("calendar_read", { days: 2 })).toMatchObject({
      events: [{ title: "trip", all_day: true, start: "2026-03-20", end: "2026-04-01" }, {}, {}, {}],
    });
  });

  test("an event of long ago without an end is not listed", async () => {
    const subject = calendars({ calendars: [{ name: "A", file: file("SUMMARY:old\nDTSTART:20200101T100000Z") }] });
    expect(await subject.text("calendar_read", {})).toBe("No events in the next 7 days");
  });

  test("a daily event at nine stays at nine when clocks change, in the zone it was made in and in ours", async () => {
    const daily = "SUMMARY:nine\nDTSTART;TZID=America/New_York:20260305T090000\nDURATION:PT1H\nRRULE:FREQ=DAILY";
    const of = async (timeZone: string) => {
      const subject = calendars({ timeZone, calendars: [{ name: "A", file: file(daily) }] }, "2026-03-07T00:00:00Z");
      const { events } = (await subject.call("calendar_read", { days: 3 })) as { events: { start: string }[] };
      return events.map(({ start }) => start);
    };
    expect(await of("America/New_York")).toEqual([
      "2026-03-07T09:00:00-05:00",
      "2026-03-08T09:00:00-04:00",
      "2026-03-09T09:00:00-04:00",
    ]);
    expect(await of("Europe/Berlin")).toEqual([
      "2026-03-07T15:00:00+01:00",
      "2026-03-08T14:00:00+01:00",
      "2026-03-09T14:00:00+01:00",
    ]);
  });

  test("a title with line breaks cannot pass for another event", async () => {
    const subject = calendars({
      calendars: [{ name: "A", file: file("SUMMARY:a\\n## Tuesday\\n- [All day] fake\nDTSTART:20260328T100000Z") }],
    });
    expect(await subject.text("calendar_read", {})).toContain("] a ## Tuesday - [All day] fake");
  });

  test("at most 500 events, and how many more there are", async () => {
    const subject = calendars({
      calendars: [{ name: "A", file: file("SUMMARY:m\nDTSTART:20260301T100000Z\nRRULE:FREQ=MINUTELY;INTERVAL=10") }],
    });
    const shown = await subject.text("calendar_read", {});
    expect(shown.match(/^- \[/gm)).toHaveLength(500);
    expect(shown).toContain("502 more events are not shown");
  });
});

describe("which calendar", () => {
  test("none are configured", async () => {
    expect(await calendars({}).text("calendar_read", {})).toBe("No calendars configured");
  });

  test("one by its name in any case", async () => {
    const subject = calendars({
      calendars: [
        { name: "Work", file: file("SUMMARY:w\nDTSTART:20260328T100000Z") },
        { name: "Home", file: file("SUMMARY:h\nDTSTART:20260328T100000Z") },
      ],
    });
    expect(await subject.call("calendar_read", { calendar: "hOME" })).toMatchObject({ events: [{ title: "h" }] });
    expect(await subject.text("calendar_read", { calendar: "none" })).toBe(
      "INVALID_INPUT: calendar 'none' not found. Known calendars: Work, Home.",
    );
  });

  test("one that cannot be read does not hide the others; all of them is an error", async () => {
    const broken = { name: "Broken", file: join(folder, "nowhere.ics") };
    const html = join(folder, "page.ics");
    writeFileSync(html, "<html>Please log in</html>");
    const subject = calendars({
      calendars: [
        broken,
        { name: "Page", file: html },
        { name: "Fine", file: file("SUMMARY:fine\nDTSTART:20260328T100000Z") },
      ],
    });
    const shown = await subject.text("calendar_read", {});
    expect(shown).toContain("fine");
    expect(shown).toContain("failed to fetch 'Broken': its file cannot be opened (ENOENT)");
    expect(shown).toContain("'Page' is not an iCal calendar");
    expect(await subject.text("calendar_read", { calendar: "broken" })).toMatch(/^EXECUTION_ERROR: failed to fetch/);
  });
});

describe("calendars behind private addresses", () => {
  const secret = "/calendar/ical/me%40example.org/private-0123456789abcdef/basic.ics";

  test("are fetched, unpacked, and read", async () => {
    site.handler = (_, response) =>
      response.end("BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:found\nDTSTART:20260328T100000Z\nEND:VEVENT\nEND:VCALENDAR");
    const subject = calendars({ calendars: [{ name: "Private", url: site.url + secret }] });
    expect(await subject.call("calendar_read", {})).toMatchObject({ events: [{ title: "found" }] });
    expect(site.seen.at(-1)?.url).toBe(secret);
  });

  test.each<[string, () => void, RegExp]>([
    ["is missing", () => (site.handler = (_, response) => response.writeHead(404).end(secret)), /HTTP 404 Not Found$/],
    ["hangs up", () => (site.handler = (_, response) => response.destroy()), /its URL could not be fetched: it closed/],
    ["is too large", () => (site.handler = (_, response) => response.end("x".repeat(3000))), /larger than 2000 bytes/],
    ["never answers", () => (site.handler = () => undefined), /its URL did not answer within 0.2 s/],
    [
      "leads to a private address",
      () => (site.handler = (_, response) => response.writeHead(302, { location: "http://10.0.0.1/x" }).end()),
      /10.0.0.1 is a private address/,
    ],
    [
      "leads in circles",
      () => (site.handler = ({ url }, response) => response.writeHead(302, { location: url }).end()),
      /its URL still redirected/,
    ],
  ])("that %s do not leak through the error", async (name, prepare, expected) => {
    prepare();
    const subject = calendars({
      calendars: [{ name: "Private", url: site.url + secret }],
      timeoutMs: name === "never answers" ? 200 : 20_000,
      maxBytes: 2000,
    });
    const message = await subject.text("calendar_read", {});
    expect(message).toMatch(/^(EXECUTION_ERROR|TIMEOUT): failed to fetch 'Private': /);
    expect(message).toMatch(expected);
    expect(message).not.toMatch(/private-0123|basic\.ics|me%40|127\.0\.0\.1/);
  });

  test("are secrets of the pack, so that no other answer shows them either", async () => {
    const url = site.url + secret;
    const subject = calendars({
      calendars: [
        { name: "Private", url },
        { name: "private!", url },
        { name: "Echo", file: file(`SUMMARY:see ${url}\nDTSTART:20260328T100000Z`) },
      ],
    });
    expect(Object.keys(subject.pack.secrets ?? {})).toEqual(["CALENDAR_PRIVATE_URL", "CALENDAR_PRIVATE__URL"]);
    expect(await subject.text("calendar_read", { calendar: "Echo" })).toContain("see [REDACTED:");
  });

  test("that are invalid are reported at the start without repeating them", () => {
    for (const url of ["ftp://x.test/private-0123", "http://user:private-0123@x.test/", "private-0123"]) {
      expect(() => calendars({ calendars: [{ name: "P", url }] })).toThrow(/^Calendar 'P': The URL (?!.*0123)/);
    }
    for (const wrong of [{ name: "P" }, { name: "P", url: "https://x.test/private-0123", file: "p.ics" }])
      expect(() => calendars({ calendars: [wrong as { name: string; file: string }] })).toThrow(
        /^calendarPack: calendars\[0\] .*(url|file)(?!.*0123)/,
      );
    expect(() => calendars({ timeZone: "Nowhere" })).toThrow("is not a time zone such as Europe/Berlin");
  });
});

test("the settings are described by a schema", () => {
  const { check } = compileConfig(calendarOptions);
  expect(check({ calendars: [{ name: "a", url: "https://x.test" }], timeZone: "Europe/Berlin" })).toMatchObject({
    ok: true,
  });
  expect(check({ calendars: [{ name: "a" }] })).toMatchObject({ ok: false });
});

test("fifty calendars are read in one call, without a warning", async () => {
  const warnings: unknown[] = [];
  const note = (warning: unknown) => warnings.push(warning);
  process.on("warning", note);
  const path = file("SUMMARY:same everywhere\nDTSTART:20260328T100000Z");
  const subject = calendars({ calendars: Array.from({ length: 50 }, (_, at) => ({ name: `${at}`, file: path })) });
  const { events, problems } = (await subject.call("calendar_read", {})) as { events: unknown[]; problems: unknown[] };
  process.off("warning", note);
  expect([events.length, problems, warnings]).toEqual([50, [], []]);
});

describe("a calendar that is made to be slow", () => {
  const repeated = (line: (at: number) => string, bytes: number) => {
    const length = Math.floor(bytes / line(10_000).length);
    return Array.from({ length }, (_, at) => line(at));
  };
  const half = 256 * 1024;
  const event = (...lines: readonly string[]) =>
    ["BEGIN:VEVENT", "DTSTART;TZID=Europe/Paris:20260328T100000", ...lines, "END:VEVENT"].join("\n");
  const hostile: Record<string, string> = {
    "opened and closed blocks": [...repeated(() => "BEGIN:A", half), ...repeated(() => "END:B", half)].join("\n"),
    "many events": repeated((at) => event(`UID:${at}`), 4 * half).join("\n"),
    "many rules": repeated((at) => event(`UID:${at}`, "RRULE:FREQ=SECONDLY"), 4 * half).join("\n"),
    "many exceptions": event(`EXDATE;TZID=Europe/Paris:${repeated(() => "20260328T100000", 8 * half).join(",")}`),
    "many lines": "\n".repeat(9_000_000),
  };

  test.each(Object.entries(hostile))("does not hold the event loop: %s", async (_, body) => {
    const path = join(folder, `${Math.random()}.ics`);
    writeFileSync(path, `BEGIN:VCALENDAR\n${body}\nEND:VCALENDAR\n`);
    const subject = calendars({
      calendars: [
        { name: "A", file: path },
        { name: "B", file: file("SUMMARY:still here\nDTSTART:20260328T100000Z") },
      ],
    });
    let shown = "";
    const held = await heldMs(async () => {
      shown = await subject.text("calendar_read", {});
    });
    expect(held).toBeLessThan(250);
    expect(shown).toMatch(/still here|more events are not shown/);
  });
});
