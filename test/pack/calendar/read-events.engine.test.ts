import { readFileSync } from "node:fs";
import fc from "fast-check";
import ICAL from "ical.js";
import { describe, expect, test } from "vitest";
import { recurrenceTimes } from "../../../packages/biplane/src/pack/calendar/recurrence-times.ts";
import { parseIcal } from "../../../packages/biplane/src/pack/calendar/parse-ical.ts";
import { readCalendarEvents } from "../../../packages/biplane/src/pack/calendar/read-events.ts";
import { parseRecurrenceRule } from "../../../packages/biplane/src/pack/calendar/recurrence-rule.ts";
import { namedZone, utc } from "../../../packages/biplane/src/pack/calendar/zone.ts";
import { order, reference } from "./reference.ts";
import type { Expected } from "./reference.ts";

const scale = process.env["BIPLANE_SOAK"] ? 20 : 1;
const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}.ics`, import.meta.url), "utf8");

function ours(text: string, span: { from: number; to: number }): readonly Expected[] {
  const { occurrences: happenings, skipped } = readCalendarEvents(text, { ...span, zone: utc });
  expect(skipped).toEqual([]);
  return happenings
    .map(({ title, start, end, isAllDay }) => {
      const shown = (time: number) => new Date(time).toISOString().slice(0, isAllDay ? 10 : undefined);
      return { title, start: shown(start), end: shown(end) };
    })
    .toSorted((one, other) => order(one).localeCompare(order(other)));
}

describe("calendars of the large programs, beside another parser", () => {
  const weeks = [
    "2026-01-01",
    "2026-03-02",
    "2026-03-07",
    "2026-03-26",
    "2026-03-29",
    "2026-04-01",
    "2026-10-22",
    "2026-11-01",
  ];
  test.each(["google", "apple", "outlook", "nextcloud"])("%s", (name) => {
    const text = fixture(name);
    let seen = 0;
    for (const week of weeks) {
      const from = Date.parse(`${week}T00:00Z`);
      const span = { from, to: from + 14 * 86_400_000 };
      const expected = reference(text, span);
      expect(ours(text, span)).toEqual(expected);
      seen += expected.length;
    }
    expect(seen).toBeGreaterThan(10);
  });

  test("Google: what was moved is where it was moved to, what was cancelled is gone, clocks change", () => {
    const from = Date.parse("2026-03-27T00:00Z");
    const events = ours(fixture("google"), { from, to: from + 8 * 86_400_000 });
    expect(events).toEqual([
      { title: "Standup", start: "2026-03-27T08:00:00.000Z", end: "2026-03-27T08:15:00.000Z" },
      { title: "Trade fair", start: "2026-03-28", end: "2026-03-31" },
      {
        title: "Standup (brought forward from May)",
        start: "2026-03-28T10:00:00.000Z",
        end: "2026-03-28T10:15:00.000Z",
      },
      { title: "Across the change of clocks", start: "2026-03-29T00:30:00.000Z", end: "2026-03-29T01:30:00.000Z" },
      { title: "Standup (moved to the afternoon)", start: "2026-04-01T12:00:00.000Z", end: "2026-04-01T12:15:00.000Z" },
    ]);
  });

  test("Outlook: zones that only the calendar itself defines", () => {
    const from = Date.parse("2026-03-16T00:00Z");
    const events = ours(fixture("outlook"), { from, to: from + 30 * 86_400_000 });
    const starts = (title: string) => events.filter((event) => event.title === title).map(({ start }) => start);
    expect(starts("Budget; first look")).toEqual(["2026-03-17T08:00:00.000Z", "2026-04-14T07:00:00.000Z"]);
    expect(starts("Call with Pune")).toEqual(["2026-04-01T05:00:00.000Z"]);
    expect(starts("Holiday")).toHaveLength(7);
  });
});

const words = `
BEGIN:VCALENDAR
END:VCALENDAR
BEGIN:VEVENT
END:VEVENT
BEGIN:VTIMEZONE
TZID:X
END:VTIMEZONE
BEGIN:STANDARD
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
END:STANDARD
UID:1
UID:__proto__
SEQUENCE:-1
DTSTART:20260101T100000Z
DTSTART;TZID=X:20260101T100000
DTSTART;VALUE=DATE:20260101
DTEND:20250101
DURATION:-P1D
DURATION:P9999W
RRULE:FREQ=DAILY
RRULE:FREQ=YEARLY;BYDAY=-5SU;BYSETPOS=0
RDATE:20260102
RRULE:FREQ=SECONDLY
EXDATE:20260101T100000Z,x
RECURRENCE-ID:20260101T100000Z
STATUS:CANCELLED
 folded
`
  .split("\n")
  .filter((line) => line !== "");

describe("texts", () => {
  const event = (lines: string) =>
    `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260101T100000Z\r\n${lines}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;
  const read = (text: string) =>
    readCalendarEvents(text, { from: Date.parse("2026-01-01"), to: Date.parse("2026-01-02"), zone: utc }).occurrences;

  test("an alarm does not overwrite what its event says, whichever comes first", () => {
    const alarm = "BEGIN:VALARM\r\nSUMMARY:alarm\r\nDESCRIPTION:alarm\r\nDTSTART:20990101T000000Z\r\nEND:VALARM";
    expect(read(event(`${alarm}\r\nSUMMARY:event\r\nDESCRIPTION:told`))).toMatchObject([
      { title: "event", texts: { description: "told" } },
    ]);
    expect(read(event(`SUMMARY:event\r\n${alarm}`))).toMatchObject([{ title: "event", texts: { description: "" } }]);
  });

  test("a folded line loses the one character that folds it and nothing else", () => {
    expect(read(event("SUMMARY:one \r\n  two\r\n\tthree"))).toMatchObject([{ title: "one  twothree" }]);
    expect(read(event(`SUMMARY:${"x".repeat(60_000)}`))[0]?.title).toHaveLength(60_000);
  });

  test("the first date of an event counts among its added dates", () => {
    expect(
      read(event("RDATE:20260101T120000Z,20260101T130000Z")).map(({ start }) => new Date(start).getUTCHours()),
    ).toEqual([10, 12, 13]);
  });

  test("escapes are undone once, from the left", () => {
    expect(read(event(String.raw`SUMMARY:a\, b\; c\\n d\ne \x`))).toMatchObject([{ title: "a, b; c\\n d\ne \\x" }]);
  });

  test("an event that cannot be read does not cost the others", () => {
    const broken = [
      "DTSTART:99999999T999999",
      "DTSTART:",
      "SUMMARY:no start",
      "RRULE:FREQ=SOMETIMES\r\nDTSTART:20260101T100000Z",
    ];
    const events = broken.map((lines, at) => `BEGIN:VEVENT\r\nUID:${at}\r\n${lines}\r\nEND:VEVENT\r\n`).join("");
    const text = `BEGIN:VCALENDAR\r\n${events}BEGIN:VEVENT\r\nUID:ok\r\nDTSTART:20260101T110000Z\r\nSUMMARY:fine\r\nEND:VEVENT`;
    expect(read(text).map(({ uid }) => uid)).toEqual(["3", "ok"]);
  });

  test("a time without a zone is the reader's, and a zone nobody knows too", () => {
    const zone = namedZone("Asia/Tokyo");
    expect(zone).toBeDefined();
    const span = { from: Date.parse("2026-01-01"), to: Date.parse("2026-01-02"), zone: zone ?? utc };
    for (const line of ["DTSTART:20260101T100000", "DTSTART;TZID=Mars/Olympus:20260101T100000"]) {
      const text = `BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\n${line}\nEND:VEVENT\nEND:VCALENDAR`;
      expect(readCalendarEvents(text, span).occurrences[0]?.start).toBe(Date.parse("2026-01-01T01:00Z"));
    }
  });

  test("blocks that are opened and others that are closed take linear time", () => {
    const text = `BEGIN:VCALENDAR\n${"BEGIN:A\n".repeat(30_000)}${"END:B\n".repeat(30_000)}`;
    const before = process.cpuUsage().user;
    expect(parseIcal(text)).toHaveLength(1);
    // By comparing every end with every beginning, it would take a minute.
    expect((process.cpuUsage().user - before) / 1000).toBeLessThan(3000);
  });

  test("any text at all is read without failing", () => {
    const word = fc.constantFrom(...words);
    const line = fc.oneof({ weight: 8, arbitrary: word }, { weight: 1, arbitrary: fc.string() });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const span = { from: Date.parse("2026-01-01"), to: Date.parse("2026-01-01T00:10Z"), zone: utc };
        for (const { start, end } of readCalendarEvents(lines.join("\n"), span).occurrences)
          expect(end).toBeGreaterThanOrEqual(start);
        parseIcal(lines.join("\r\n"));
      }),
      { numRuns: 300 * scale },
    );
  });
});

describe("rules", () => {
  const day = fc.constantFrom("MO", "TU", "WE", "TH", "FR", "SA", "SU");
  const list = <T>(each: fc.Arbitrary<T>, maxLength = 3) =>
    fc.uniqueArray(each, { minLength: 1, maxLength }).map((values) => values.join(","));
  const parts = fc.oneof(
    fc.record({ FREQ: fc.constant("DAILY") }),
    fc.record({ FREQ: fc.constant("WEEKLY"), BYDAY: list(day), WKST: fc.constantFrom("MO", "SU") }),
    fc.record({ FREQ: fc.constant("MONTHLY"), BYMONTHDAY: list(fc.constantFrom(1, 15, 28, -1, -28), 2) }),
    fc.record({
      FREQ: fc.constant("MONTHLY"),
      BYDAY: fc.tuple(fc.constantFrom(1, 2, 4, -1, -2), day).map((parts) => parts.join("")),
    }),
    fc.record({
      FREQ: fc.constant("MONTHLY"),
      BYDAY: fc.constant("MO,TU,WE,TH,FR"),
      BYSETPOS: fc.constantFrom(1, 2, -1, -2),
    }),
    fc.record({
      FREQ: fc.constant("YEARLY"),
      BYMONTH: list(fc.integer({ min: 1, max: 12 }), 2),
      BYDAY: fc.tuple(fc.constantFrom(1, 2, -1), day).map((parts) => parts.join("")),
    }),
  );
  const ending = fc.oneof(
    fc.constant({}),
    fc.record({ COUNT: fc.integer({ min: 1, max: 60 }) }),
    fc.record({ UNTIL: fc.constantFrom("20250101T000000Z", "20260401T120000Z") }),
  );

  test("give what another parser gives", { timeout: 120_000 }, () => {
    const hour = fc.integer({ min: Date.UTC(2019, 0) / 3_600_000, max: Date.UTC(2026, 0) / 3_600_000 });
    fc.assert(
      fc.property(hour, parts, fc.integer({ min: 1, max: 4 }), ending, (hour, parts, interval, ending) => {
        const text = Object.entries({ ...parts, INTERVAL: interval, ...ending })
          .map(([key, value]) => `${key}=${value}`)
          .join(";");
        const span = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 3, 1) };
        const rule = parseRecurrenceRule(text, { untilOf: ({ wall }) => wall });
        if (!rule) throw new Error(`${text} was not read`);
        // What a rule means that its own first date does not keep to is left open; programs differ there.
        const wide = { from: 0, to: Date.UTC(2040, 0), budget: { steps: 1e6 } };
        const [start] = recurrenceTimes(rule, hour * 3_600_000, wide);
        if (start === undefined) return;
        const found = [...recurrenceTimes(rule, start, { ...span, budget: { steps: 1e6 } })];
        expect(found).toEqual(iterate(text, start, span));
      }),
      { numRuns: 150 * scale },
    );
  });

  function iterate(rule: string, start: number, { from, to }: { from: number; to: number }): readonly number[] {
    const time = ICAL.Time.fromDateTimeString(`${new Date(start).toISOString().slice(0, 19)}Z`);
    const iterator = ICAL.Recur.fromString(rule).iterator(time);
    const found: number[] = [];
    for (let next = iterator.next(); next; next = iterator.next()) {
      const at = next.toUnixTime() * 1000;
      if (at > to) break;
      if (at >= from) found.push(at);
    }
    return found;
  }

  test.each([
    ["FREQ=YEARLY;BYDAY=20MO", "2025-05-19T09:00Z", ["2026-05-18T09:00:00.000Z"]],
    ["FREQ=YEARLY;BYMONTH=11", "2019-01-31T09:00Z", []],
    ["FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO", "2025-05-12T09:00Z", ["2026-05-11T09:00:00.000Z"]],
    [
      "FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR",
      "2025-06-13T09:00Z",
      ["2026-02-13T09:00:00.000Z", "2026-03-13T09:00:00.000Z", "2026-11-13T09:00:00.000Z"],
    ],
    [
      "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8",
      "2022-11-08T09:00Z",
      ["2026-11-03T09:00:00.000Z"],
    ],
    ["FREQ=YEARLY;BYYEARDAY=1,-1", "2025-01-01T09:00Z", ["2026-01-01T09:00:00.000Z", "2026-12-31T09:00:00.000Z"]],
    [
      "FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=31,-30;UNTIL=20260901",
      "2020-02-01T09:00Z",
      ["2026-04-01T09:00:00.000Z", "2026-06-01T09:00:00.000Z", "2026-08-02T09:00:00.000Z", "2026-08-31T09:00:00.000Z"],
    ],
    ["FREQ=MONTHLY;COUNT=3", "2025-10-31T09:00Z", ["2026-01-31T09:00:00.000Z"]],
    [
      "FREQ=HOURLY;INTERVAL=12;BYMONTH=2;BYMONTHDAY=1",
      "2020-01-01T00:30Z",
      ["2026-02-01T00:30:00.000Z", "2026-02-01T12:30:00.000Z"],
    ],
    [
      "FREQ=DAILY;BYMONTH=1;BYMONTHDAY=1;BYHOUR=9,8;BYMINUTE=0,30",
      "2020-01-01T08:00Z",
      ["2026-01-01T08:00:00.000Z", "2026-01-01T08:30:00.000Z", "2026-01-01T09:00:00.000Z", "2026-01-01T09:30:00.000Z"],
    ],
    ["FREQ=MINUTELY;INTERVAL=43200;BYSECOND=0;UNTIL=20260115", "2025-12-31T00:00Z", []],
    ["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "2020-01-01T09:00Z", []],
  ])("%s in 2026", (text, start, expected) => {
    const rule = parseRecurrenceRule(text, { untilOf: ({ wall }) => wall });
    const span = { from: Date.UTC(2026, 0), to: Date.UTC(2027, 0) - 1, budget: { steps: 1e6 } };
    const found = rule ? [...recurrenceTimes(rule, Date.parse(start), span)] : [];
    expect(found.map((wall) => new Date(wall).toISOString())).toEqual(expected);
  });

  test.each([
    "FREQ=SECONDLY",
    "FREQ=SECONDLY;COUNT=999999999",
    "FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30",
    `FREQ=DAILY;BYHOUR=${range(24)};BYMINUTE=${range(60)};BYSECOND=${range(60)}`,
    "FREQ=YEARLY;INTERVAL=999999999;BYMONTH=2;BYMONTHDAY=30",
    `FREQ=YEARLY;BYYEARDAY=${range(366)};BYHOUR=${range(24)};BYMINUTE=${range(60)};BYSECOND=${range(60)}`,
  ])("%s is given up on, and only the event that has it is lost", (rule) => {
    const events = `BEGIN:VEVENT\nUID:1\nSUMMARY:bomb\nDTSTART:19700101T000000Z\nRRULE:${rule}\nEND:VEVENT\nBEGIN:VEVENT\nUID:2\nSUMMARY:fine\nDTSTART:20260101T100000Z\nEND:VEVENT`;
    const span = { from: Date.UTC(2026, 0), to: Date.UTC(2027, 0), zone: utc };
    const { occurrences: happenings } = readCalendarEvents(`BEGIN:VCALENDAR\n${events}\nEND:VCALENDAR`, span);
    expect(happenings.filter(({ title }) => title === "fine")).toHaveLength(1);
  });

  function range(length: number): string {
    return Array.from({ length }, (_, index) => index).join(",");
  }
});
