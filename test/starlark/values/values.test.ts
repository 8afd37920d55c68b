import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stableSort } from "../../../packages/starlark/src/builtins/stable-sort.ts";
import { Thread } from "../../../packages/starlark/src/runtime/thread.ts";
import { findLastText, findText } from "../../../packages/starlark/src/values/find-text.ts";
import { Float } from "../../../packages/starlark/src/values/float.ts";
import { formatFloat } from "../../../packages/starlark/src/values/format-float.ts";
import { hashKey } from "../../../packages/starlark/src/values/hash-key.ts";
import { HashTable } from "../../../packages/starlark/src/values/hash-table.ts";
import * as int from "../../../packages/starlark/src/values/int.ts";
import { Tuple } from "../../../packages/starlark/src/values/tuple.ts";
import type { Value } from "../../../packages/starlark/src/values/value.ts";

const thread = new Thread({ limits: { steps: Number.MAX_SAFE_INTEGER, memoryBytes: Number.MAX_SAFE_INTEGER } });

describe("ints", () => {
  const anyInt = fc.oneof(fc.bigInt({ min: -(1n << 70n), max: 1n << 70n }), fc.bigInt({ min: -100n, max: 100n }));
  const pair = fc.tuple(anyInt, anyInt);

  it("add, subtract and multiply exactly, whatever their size", () => {
    fc.assert(
      fc.property(pair, ([x, y]) => {
        const [left, right] = [int.intFromBigInt(x), int.intFromBigInt(y)];
        expect(int.add(thread, left, right)).toBe(int.intFromBigInt(x + y));
        expect(int.subtract(thread, left, right)).toBe(int.intFromBigInt(x - y));
        expect(int.multiply(thread, left, right)).toBe(int.intFromBigInt(x * y));
        expect(int.bitwise(thread, "&", left, right)).toBe(int.intFromBigInt(x & y));
        expect(int.bitwise(thread, "|", left, right)).toBe(int.intFromBigInt(x | y));
        expect(int.bitwise(thread, "^", left, right)).toBe(int.intFromBigInt(x ^ y));
      }),
    );
  });

  it("divide so that quotient and remainder make up the whole, and the remainder has the divisor's sign", () => {
    fc.assert(
      fc.property(pair, ([x, y]) => {
        fc.pre(y !== 0n);
        const quotient = BigInt(int.floorDivide(thread, int.intFromBigInt(x), int.intFromBigInt(y)));
        const remainder = BigInt(int.modulo(thread, int.intFromBigInt(x), int.intFromBigInt(y)));
        expect(quotient * y + remainder).toBe(x);
        expect(y > 0n ? remainder >= 0n && remainder < y : remainder <= 0n && remainder > y).toBe(true);
      }),
    );
  });

  it("shift like multiplication and floored division by powers of two", () => {
    fc.assert(
      fc.property(anyInt, fc.integer({ min: 0, max: 100 }), (x, count) => {
        const value = int.intFromBigInt(x);
        expect(int.shift(thread, "<<", value, count)).toBe(int.intFromBigInt(x << BigInt(count)));
        expect(int.shift(thread, ">>", value, count)).toBe(int.intFromBigInt(x >> BigInt(count)));
      }),
    );
  });
});

describe("floats", () => {
  it("read back as what was written", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Object.is(Number(formatFloat(value)), value)).toBe(true);
      }),
    );
  });
});

describe("hash keys", () => {
  const scalar: fc.Arbitrary<Value> = fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom(new Float(1), new Float(1.5), new Float(-0)),
    fc.string({ maxLength: 3, unit: fc.constantFrom("a", "(", ")", "1", ":", "s", ";") }),
  );
  const value = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 3 }).map((elements) => new Tuple(elements)),
  );

  it("are the same exactly when values are equal", () => {
    fc.assert(
      fc.property(value, value, (x, y) => {
        expect(hashKey(thread, x) === hashKey(thread, y)).toBe(plain(x) === plain(y));
      }),
      { numRuns: 2000 },
    );
  });

  it("let a table pop its oldest entry again and again in linear time", () => {
    const table = new HashTable();
    for (let key = 0; key < 100_000; key++) table.set(thread, key, key);
    for (let key = 0; key < 100_000; key++) expect(table.shift(thread)?.key === key).toBe(true);
    expect(table.shift(thread)).toBeUndefined();
    table.set(thread, "again", 1);
    expect(table.shift(thread)?.key).toBe("again");
  });
});

describe("searching", () => {
  it("finds what the native search finds, also for long needles in long texts", () => {
    const text = fc
      .array(fc.constantFrom("a", "a", "b"), { minLength: 300, maxLength: 400 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 5 }), (needle, repeats) => {
        const hay = "ab".repeat(50_000) + needle.repeat(repeats) + "ba".repeat(10);
        expect(findText(thread, hay, needle, 7)).toBe(hay.indexOf(needle, 7));
        expect(findLastText(thread, hay, needle, hay.length)).toBe(hay.lastIndexOf(needle));
      }),
      { numRuns: 20 },
    );
  });
});

describe("sorting", () => {
  it("orders like the native sort and keeps equal elements in place", () => {
    const pairs = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.nat()), { maxLength: 200 });
    fc.assert(
      fc.property(pairs, (elements) => {
        const expected = elements.toSorted(([x], [y]) => x - y);
        expect(stableSort([...elements], ([x], [y]) => x < y)).toEqual(expected);
      }),
    );
  });
});

/** A value in a form in which JavaScript's own equality is Starlark's. */
function plain(value: Value): string {
  if (value instanceof Tuple) return `tuple(${value.elements.map(plain).join(",")})`;
  if (value instanceof Float) return `number ${value.value + 0}`;
  if (typeof value === "object" && value !== null) throw new Error("not one of the values generated here");
  return typeof value === "string" ? JSON.stringify(value) : `${typeof value} ${value}`;
}
