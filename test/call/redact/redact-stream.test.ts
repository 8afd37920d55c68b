import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor } from "../../../packages/core/src/call/redact/redactor.ts";
import { runs } from "../../support/runs.ts";

const secrets = [
  { name: "A", value: "hidden-value" },
  { name: "B", value: "value-of-another" },
  { name: "C", value: "aaaaaaaaaa" },
  { name: "D", value: "Ünïcode/+\"'\n" },
];
const redactor = createRedactor(secrets);
const texts = secrets.flatMap(({ value }) => [
  value,
  `x${value}y${value}`,
  JSON.stringify({ [value]: value }),
  encodeURIComponent(value),
  ...["", "p", "pq"].map((before) => `= ${Buffer.from(`${before}${value}z`).toString("base64")} =`),
  `(${Buffer.from(value).toString("base64")})`,
  Buffer.from(value).toString("base64url"),
  Buffer.from(value).toString("hex").toUpperCase(),
  `${value.slice(0, -1)}-${value.slice(1)}`,
]);

test.each([...texts, "hidden-value-of-another", "a".repeat(50), "hidden-hidden-value", ""])(
  "cut at any place, %j is redacted as a whole",
  (text) => {
    const whole = redactor.text(text);
    for (let cut = 0; cut <= text.length; cut++) expect(through([text.slice(0, cut), text.slice(cut)])).toBe(whole);
    expect(through(text.split(""))).toBe(whole);
  },
);

test("any cuts of any text give the same as the whole", () => {
  const piece = fc.oneof(
    fc.constantFrom(...texts),
    fc.constantFrom(...texts).chain((text) => fc.nat(text.length).map((end) => text.slice(0, end))),
    fc.string({ maxLength: 5 }),
    fc.string({ unit: fc.constantFrom("a", "-", "=", "h"), maxLength: 12 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.infiniteStream(fc.nat(20)), (pieces, sizes) => {
      const text = pieces.join("");
      const chunks: string[] = [];
      for (let at = 0; at < text.length;) {
        const size = Number(sizes.next().value);
        chunks.push(text.slice(at, at + size));
        at += size;
      }
      expect(through(chunks)).toBe(redactor.text(text));
    }),
    runs(1000),
  );
});

test("text that cannot become a secret goes on at once", () => {
  const stream = redactor.stream();
  expect(stream.push("nothing here. ")).toBe("nothing here. ");
  expect(stream.push("a hid")).toBe("a");
  expect(stream.push("den place. ")).toBe(" hidden place. ");
  expect(stream.push("hidden-val")).toBe("");
  expect(stream.push("ue. ")).toBe("[REDACTED:A]. ");
  expect(stream.end()).toBe("");
});

test("a secret without end is not kept in memory, and shows once", () => {
  const stream = redactor.stream();
  let shown = "";
  for (let i = 0; i < 20_000; i++) shown += stream.push("aaaaaaa");
  expect(shown + stream.end()).toBe("[REDACTED:C]");
});

function through(chunks: readonly string[]): string {
  const stream = redactor.stream();
  return chunks.map((chunk) => stream.push(chunk)).join("") + stream.end();
}
