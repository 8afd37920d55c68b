import fc from "fast-check";
import { expect, test } from "vitest";
import { openStore } from "biplane/store";
import { openAudit } from "../../../packages/biplane/src/governance/audit/audit.ts";
import { sortedJson, cutToBytes } from "../../../packages/biplane/src/governance/audit/sorted-json.ts";
import { queryAudit } from "../../../packages/biplane/src/governance/audit/query.ts";
import { verifyAudit } from "../../../packages/biplane/src/governance/audit/verify.ts";
import type { AuditCall } from "../../../packages/biplane/src/governance/audit/write-line.ts";
import { runs } from "../../support/runs.ts";
import { entry } from "./fixture.ts";
import { anyCharacter } from "../../support/any-character.ts";

/** Any text, with halves of characters, controls and lengths around every bound. */
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 50 }),
  fc.string({ unit: "grapheme", maxLength: 50 }),
  fc
    .tuple(fc.constantFrom("x", "\0", "é", "€", "😀", "\ud83d", '"', "\\", "\u2028"), fc.integer({ min: 0, max: 9000 }))
    .map(([unit, count]) => unit.repeat(count)),
);
const anyValue = fc.oneof(
  anyText,
  fc.jsonValue({ stringUnit: "binary" }),
  fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withSparseArray: true,
    withNullPrototype: true,
    withObjectString: true,
  }),
);

test("whatever is recorded is kept, whole as far as JSON goes, bounded, and in one chain", async () => {
  await using store = await openStore(":memory:");
  const audit = openAudit({ store, onFault: (fault) => expect.unreachable(String(fault)) });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(anyText, anyText, anyValue), { minLength: 1, maxLength: 5 }), async (calls) => {
      for (const [tool, message, input] of calls) void audit.record(entry("request", { tool, message, input }));
      const before = (await store.audit.last())?.sequence ?? 0;
      await audit.flush();
      const lines = (await queryAudit(store, { limit: calls.length })).toReversed() as AuditCall[];
      for (const [at, [tool, message]] of calls.entries()) {
        expectStart(lines[at]?.tool, tool);
        expectStart(lines[at]?.message, message);
      }
      for (const { line } of await store.audit.read({ after: before })) expect(line.length).toBeLessThan(40_000);
    }),
    runs(100),
  );
  expect(await verifyAudit(store)).toMatchObject({ ok: true });
  await audit.close();
});

test("JSON that fits is the same when read back", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const { text, isCut } = sortedJson(value, 1_000_000);
      expect(isCut).toBe(false);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    runs(500),
  );
});

test("the order in which members were set makes no difference", () => {
  const shuffled = fc
    .dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue())
    .chain((members) =>
      fc.tuple(
        fc.constant(members),
        fc.shuffledSubarray(Object.keys(members), { minLength: Object.keys(members).length }),
      ),
    );
  fc.assert(
    fc.property(shuffled, ([members, keys]) => {
      const other = Object.fromEntries(keys.map((key) => [key, members[key]]));
      expect(sortedJson(other, 1_000_000)).toEqual(sortedJson(members, 1_000_000));
    }),
    runs(300),
  );
});

test("what does not fit is the start of what would have been written", () => {
  fc.assert(
    fc.property(anyValue, fc.integer({ min: 3, max: 300 }), (value, maxBytes) => {
      const whole = sortedJson(value, 10_000_000);
      const { text, isCut } = sortedJson(value, maxBytes);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(Math.max(maxBytes, Buffer.byteLength('"…"')));
      expect(isCut).toBe(text !== whole.text);
      expect(whole.text.startsWith(text)).toBe(true);
      expect(text, "no half a character").toBe(Buffer.from(text).toString());
      if (!isCut) JSON.parse(text);
    }),
    runs(1000),
  );
});

test("a cut text is as long as its bytes allow", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 300 }), (text, maxBytes) => {
      const cut = cutToBytes(text, maxBytes);
      expect(text.startsWith(cut)).toBe(true);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes);
      if (cut !== text) expect(Buffer.byteLength(cut)).toBeGreaterThan(maxBytes - 4);
    }),
    runs(500),
  );
});

test("what JSON cannot say becomes its text", () => {
  const circle: Record<string, unknown> = {};
  circle["inner"] = circle;
  const table: [unknown, string][] = [
    [undefined, "null"],
    [[undefined, Number.NaN, 10n, Symbol("s")], '[null,"NaN","10","Symbol(s)"]'],
    [{ b: undefined, a: new Date(0) }, '{"a":"1970-01-01T00:00:00.000Z"}'],
    [new Date(Number.NaN), '"null"'],
    [new Uint8Array(5_000_000), '"<5000000 bytes>"'],
    [circle, `${'{"inner":'.repeat(101)}"…"${"}".repeat(101)}`],
    [new Proxy({}, { ownKeys: () => ["fails"] }), "{}"],
    [Object.defineProperty({}, "a", { enumerable: true, get: () => expect.unreachable() }), '"…"'],
  ];
  for (const [value, text] of table) expect(sortedJson(value, 8192)).toEqual({ text, isCut: false });
});

test("a huge input costs no more than what is kept of it", () => {
  const row = { text: "x".repeat(1_000_000), more: Array.from({ length: 100_000 }, (_, at) => ({ at })) };
  let read = 0;
  const huge = new Proxy(
    Array.from({ length: 1000 }, () => row),
    { get: (rows, key) => (read++, Reflect.get(rows, key) as unknown) },
  );
  expect(sortedJson(huge, 8192)).toMatchObject({ isCut: true });
  expect(read).toBeLessThan(10);
});

/** The text itself, or its start and a mark; halves of characters stay halves. */
function expectStart(kept: string | undefined, text: string): void {
  if (kept === text) return;
  expect(kept?.endsWith("…")).toBe(true);
  expect(text.startsWith(kept?.slice(0, -1) ?? "?")).toBe(true);
}
