import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor } from "../../../packages/core/src/call/redact/redactor.ts";
import { encodings, type Dice } from "./encodings.ts";
import { overlaps, searchFor } from "./naive-search.ts";
import { anyCharacter } from "../../support/any-character.ts";

const isSoak = process.env["BIPLANE_SOAK"] === "1";
const numRuns = isSoak ? 100_000 : 500;
const timeout = isSoak ? 3_600_000 : 20_000;

const secretValue = fc
  .oneof(
    fc.string({ unit: "grapheme-ascii", minLength: 8, maxLength: 64 }),
    fc.string({ unit: anyCharacter, minLength: 8, maxLength: 32 }),
    fc.base64String({ minLength: 8, maxLength: 64 }),
    fc.string({ unit: fc.constantFrom("/", '"', "\\", "\n", "%", "+", " ", "é", "€", "<", "a"), minLength: 8 }),
  )
  .filter((value) => value.trim() === value && !value.includes("·"));

/** A mark that is part of no secret and no encoding stands around each planted one. */
const part = fc.oneof(
  { weight: 2, arbitrary: fc.string().map((text) => ({ text })) },
  {
    weight: 3,
    arbitrary: fc.record({
      secret: fc.nat(),
      encoding: fc.constantFrom(...Object.values(encodings)),
      flips: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
      bytes: fc.array(fc.uint8Array({ maxLength: 5 }), { minLength: 2, maxLength: 2 }),
    }),
  },
);
type Part = typeof part extends fc.Arbitrary<infer T> ? T : never;
const parts = fc.array(part, { maxLength: 4 });

/** JSON with strings, and keys, still in parts. */
type Shape =
  | { kind: "string"; parts: Part[] }
  | { kind: "array"; items: Shape[] }
  | { kind: "object"; entries: [Part[], Shape][] }
  | { kind: "other"; value: number | boolean | null };
const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 4 },
    fc.record({ kind: fc.constant("string"), parts }),
    fc.record({ kind: fc.constant("other"), value: fc.constantFrom(0, -12.5, 999, true, false, null) }),
    fc.record({ kind: fc.constant("array"), items: fc.array(tie("shape"), { maxLength: 4 }) }),
    fc.record({ kind: fc.constant("object"), entries: fc.array(fc.tuple(parts, tie("shape")), { maxLength: 4 }) }),
  ),
}));

test(
  "planted in any form anywhere, no secret is left and all else is",
  () => {
    fc.assert(
      fc.property(fc.array(secretValue, { minLength: 1, maxLength: 4 }), shape, (values, shape) => {
        const secrets = values.map((value, index) => ({ name: `S${index}`, value }));
        const planted = build(shape, (parts) => parts.map((part) => spell(part, values).text).join("·"));
        const expected = build(shape, (parts) => parts.map((part) => spell(part, values).redacted).join("·"));
        const plain = stringsIn(build(shape, (parts) => parts.map((part) => spell(part, values).rest).join("·")));
        // Text that holds a secret by chance, secrets within secrets and keys that become one have their own tests.
        const searches = values.map(searchFor);
        fc.pre(!plain.some((text) => searches.some((search) => search(text))));
        fc.pre(!searches.some((search, at) => values.some((other, index) => index !== at && overlaps(search, other))));
        fc.pre(stringsIn(planted).length === stringsIn(expected).length);

        const redacted = createRedactor(secrets).value(planted);
        expect(JSON.stringify(redacted)).toBe(JSON.stringify(expected));
        const left = stringsIn(redacted).filter((text) => searches.some((search) => search(text)));
        expect(left).toEqual([]);
      }),
      { numRuns },
    );
  },
  timeout,
);

test(
  "whatever overlaps, exactly what belongs to a secret goes",
  () => {
    const letters = (least: number, most: number) =>
      fc.string({ unit: fc.constantFrom("a", "b", "ü"), minLength: least, maxLength: most });
    fc.assert(
      fc.property(fc.array(letters(8, 12), { minLength: 1, maxLength: 6 }), letters(0, 80), (values, text) => {
        const secrets = values.map((value, index) => ({ name: `S${index}`, value }));
        const redacted = createRedactor(secrets).text(text);
        expect(redacted.replace(/(\[REDACTED:S\d\])+/g, "#")).toBe(markEach(values, text).replace(/#+/g, "#"));
      }),
      { numRuns },
    );
  },
  timeout,
);

function build(shape: Shape, write: (parts: Part[]) => string): unknown {
  if (shape.kind === "string") return write(shape.parts);
  if (shape.kind === "array") return shape.items.map((item) => build(item, write));
  if (shape.kind === "other") return shape.value;
  return Object.fromEntries(shape.entries.map(([key, inner]) => [write(key), build(inner, write)]));
}

function spell(part: Part, values: readonly string[]): { text: string; redacted: string; rest: string } {
  if (!("secret" in part)) return { text: part.text, redacted: part.text, rest: part.text };
  const index = part.secret % values.length;
  let flip = 0;
  let draw = 0;
  const dice: Dice = {
    flip: () => part.flips[flip++ % part.flips.length] ?? false,
    bytes: () => part.bytes[draw++ % part.bytes.length] ?? new Uint8Array(),
  };
  const { text, before = "", after = "" } = part.encoding(values[index] ?? "", dice);
  return { text, redacted: `${before}[REDACTED:S${index}]${after}`, rest: `${before}·${after}` };
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...stringsIn(inner)]);
}

function markEach(values: readonly string[], text: string): string {
  const marked = text.split("");
  for (const value of values) {
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
      marked.fill("#", at, at + value.length);
    }
  }
  return marked.join("");
}
