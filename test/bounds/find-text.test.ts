import fc from "fast-check";
import { expect, test } from "vitest";
import { findText, LongNeedle } from "../../packages/core/src/bounds/find-text.ts";
import { Turns } from "../../packages/core/src/bounds/turns.ts";

/** Texts of few different characters, so that they often begin to match. */
const few = (maxLength: number) => fc.string({ unit: fc.constantFrom("a", "b"), maxLength });

/** A needle that was prepared in parts. */
function prepared(needle: string, part = needle.length): LongNeedle {
  const search = new LongNeedle(needle);
  while (search.prepare(part));
  return search;
}

test("finds what the native search finds", () => {
  fc.assert(
    fc.property(few(300), few(6), fc.nat(50), (text, needle, from) => {
      fc.pre(needle !== "" && from <= text.length);
      expect(prepared(needle, 2).find(text, from, text.length)).toBe(text.indexOf(needle, from));
      const long = needle.repeat(100).slice(0, 260);
      const around = text + long + text;
      expect(findText(around, long, from)).toBe(around.indexOf(long, from));
    }),
  );
});

test("a search in parts finds a text that lies in several of them", () => {
  fc.assert(
    fc.property(few(200), few(8), fc.integer({ min: 1, max: 7 }), (text, needle, part) => {
      fc.pre(needle !== "");
      const search = prepared(needle, part);
      let found = -1;
      for (let from = 0; from < text.length && found < 0; from += part)
        found = search.find(text, from, Math.min(text.length, from + part));
      expect(found).toBe(text.indexOf(needle));
    }),
  );
});

test("a needle that begins and ends like the text takes linear time", () => {
  const [text, half] = ["a".repeat(4_000_000), "a".repeat(1_000_000)];
  const before = process.cpuUsage().user;
  expect(findText(text, `${half}b${half}`)).toBe(-1);
  expect(findText(text, half)).toBe(0);
  // The native search takes hours.
  expect((process.cpuUsage().user - before) / 1000).toBeLessThan(5000);
});

test("long work lets timers run meanwhile", async () => {
  const turns = new Turns();
  const ticks: number[] = [];
  const timer = setInterval(() => ticks.push(performance.now()), 1);
  const end = performance.now() + 30_000;
  while (ticks.length < 3 && performance.now() < end) await turns.next();
  clearInterval(timer);
  expect(ticks.length).toBeGreaterThanOrEqual(3);
});
