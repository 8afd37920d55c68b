import fc from "fast-check";
import { expect, test } from "vitest";
import { Shares } from "../../packages/core/src/call/shares.ts";
import { runs } from "../support/runs.ts";

const limits = { perCaller: 10, total: 15 };

test("one caller cannot take what is left for others", () => {
  const shares = new Shares("bytes of notes", limits);
  const greedy = shares.take("a", 10);
  expect(() => shares.take("a", 1)).toThrow("One caller can hold at most 10 bytes of notes.");
  const other = shares.take("b", 5);
  expect(() => shares.take("c", 1)).toThrow("All callers together can hold at most 15 bytes of notes.");
  expect(shares).toMatchObject({ total: 15, largest: 10, refused: 2 });
  greedy.release();
  other.release();
  expect(shares).toMatchObject({ total: 0, largest: 0 });
});

test("only the total limits this process itself", () => {
  const shares = new Shares("places", limits);
  const own = shares.take(undefined, 12);
  expect(own.resize(16)).toMatchObject({ code: "CAPACITY" });
  expect(shares).toMatchObject({ total: 12, largest: 0 });
});

test("a share that cannot grow stays as it was, and one that shrinks always can", () => {
  const shares = new Shares("bytes", limits);
  const share = shares.take("a", 8);
  expect(share.resize(11)).toMatchObject({ code: "CAPACITY" });
  expect(shares.total).toBe(8);
  expect(share.resize(3)).toBeUndefined();
  share.release();
  share.release();
  expect(shares.total).toBe(0);
});

test("whatever is taken, grown and released, the sums are right and no limit is exceeded", () => {
  const step = fc.tuple(fc.nat(5), fc.nat(12));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const shares = new Shares("bytes", limits);
      const held = Array.from({ length: 6 }, (_, at) => ({
        caller: at % 3,
        share: shares.open(`${at % 3}`),
        amount: 0,
      }));
      for (const [at, amount] of steps) {
        const one = held[at] as (typeof held)[number];
        if (!one.share.resize(amount)) one.amount = amount;
        const sums = [0, 1, 2].map((caller) => sum(held.filter((each) => each.caller === caller)));
        expect(Math.max(...sums)).toBeLessThanOrEqual(limits.perCaller);
        expect(shares).toMatchObject({ total: sum(held), largest: Math.max(...sums) });
        expect(shares.total).toBeLessThanOrEqual(limits.total);
      }
    }),
    runs(300),
  );
});

function sum(held: readonly { amount: number }[]): number {
  return held.reduce((total, { amount }) => total + amount, 0);
}
