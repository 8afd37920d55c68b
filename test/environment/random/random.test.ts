import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom, restoreRandom } from "../../../packages/core/src/environment/random/random.ts";
import { type Call, type NumpyVectors, perform, readVectors } from "./vectors.ts";

const numpy = readVectors("numpy") as NumpyVectors;

describe("a seeded generator", () => {
  it.each(numpy.runs)("draws what numpy draws from seed $seed, whatever the order of calls", (run) => {
    const random = createRandom(BigInt(run.seed));
    const results = run.calls.map((index) => perform(random, numpy.calls[index] as Call));
    expect(results).toEqual(run.results);
    expect(random.save()).toMatchObject({ state: run.state, increment: run.increment, half: run.half });
  });

  it.each(numpy.long)("agrees with numpy over a long stretch of $call", ({ seed, call, digest, state, half }) => {
    const random = createRandom(Number(seed));
    random.integers(10);
    const results = perform(random, call) as unknown[];
    const isDouble = JSON.stringify(call).includes('["random"]') || JSON.stringify(call).includes('["standardNormal"]');
    const text = JSON.stringify(isDouble ? results.map((value) => doubleBits(value as number)) : results);
    expect(createHash("sha256").update(text).digest("hex")).toBe(digest);
    expect(random.save()).toMatchObject({ state, half });
  });

  it("is the same for a number and the bigint of the same value", () => {
    for (const seed of [0, 1, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1]) {
      expect(createRandom(seed).save()).toEqual(createRandom(BigInt(seed)).save());
    }
  });

  it("takes fresh entropy without a seed", () => {
    expect(createRandom().save()).not.toEqual(createRandom().save());
    expect(createRandom(null).save()).not.toEqual(createRandom(undefined).save());
  });

  it.each([-1, -1n, 0.5, NaN, Infinity, "42", "", true, {}])("refuses %o as a seed", (seed) => {
    expect(() => createRandom(seed as number)).toThrow(/^A seed must be a non-negative integer, not/);
  });

  it("tells how to give a seed that is too large for a number", () => {
    expect(() => createRandom(2 ** 60)).toThrow("must be a bigint");
  });
});

describe("a saved state", () => {
  it("survives JSON and goes on identically at any point", () => {
    const calls = fc.array(fc.constantFrom(...numpy.calls), { maxLength: 20 });
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 130n }), calls, calls, (seed, before, after) => {
        const random = createRandom(seed);
        for (const call of before) perform(random, call);
        const restored = restoreRandom(JSON.parse(JSON.stringify(random.save())));
        expect(restored.save()).toEqual(random.save());
        expect(after.map((call) => perform(restored, call))).toEqual(after.map((call) => perform(random, call)));
        expect(restored.save()).toEqual(random.save());
      }),
    );
  });

  it("is refused when it is not one", () => {
    const good = createRandom(1).save();
    const evenIncrement = `${good.increment.slice(0, -1)}0`;
    const bad = [{ state: "12" }, { increment: evenIncrement }, { half: -1 }, { half: 2 ** 32 }, { generator: "mt" }];
    for (const change of bad) {
      expect(() => restoreRandom({ ...good, ...change } as typeof good)).toThrow(/^Not the saved state/);
    }
    const others: unknown[] = [null, undefined, "pcg64", {}, []];
    for (const other of others) {
      expect(() => restoreRandom(other as typeof good)).toThrow(/^Not the saved state/);
    }
  });
});

describe("the step without bigints", () => {
  it("is 128-bit arithmetic from any state, the extreme ones too", () => {
    const word = fc.oneof(fc.constantFrom(0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1), fc.nat(2 ** 32 - 1));
    const wide = fc.tuple(word, word, word, word).map((words) => words.map((w) => w.toString(16).padStart(8, "0")));
    fc.assert(
      fc.property(wide, wide, (stateWords, incrementWords) => {
        const increment = (BigInt(`0x${incrementWords.join("")}`) | 1n).toString(16).padStart(32, "0");
        const random = restoreRandom({ generator: "pcg64", state: stateWords.join(""), increment, half: null });
        let state = BigInt(`0x${stateWords.join("")}`);
        for (let count = 0; count < 5; count++) {
          state = BigInt.asUintN(128, state * 0x2360ed051fc65da44385df649fccf645n + BigInt(`0x${increment}`));
          const mixed = BigInt.asUintN(64, (state >> 64n) ^ state);
          const turn = state >> 122n;
          expect(random.nextUint64()).toBe(BigInt.asUintN(64, (mixed >> turn) | (mixed << (64n - turn))));
        }
        expect(BigInt(`0x${random.save().state}`)).toBe(state);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("every draw keeps its bounds", () => {
  const seeds = fc.nat();

  it("for random and uniform", () => {
    fc.assert(
      fc.property(seeds, fc.integer(), fc.nat(), (seed, low, range) => {
        const random = createRandom(seed);
        expect(random.random()).toSatisfy((value: number) => value >= 0 && value < 1);
        expect(random.uniform(low, low + range)).toSatisfy((value: number) => value >= low && value <= low + range);
      }),
    );
  });

  it("for integers, numbers and bigints alike", () => {
    const wide = fc.integer({ min: -(2 ** 52), max: 2 ** 52 - 1 });
    fc.assert(
      fc.property(seeds, wide, wide, fc.boolean(), (seed, a, b, endpoint) => {
        const [low, last] = [Math.min(a, b), Math.max(a, b)];
        const high = endpoint ? last : last + 1;
        const value = createRandom(seed).integers(low, high, { endpoint });
        expect(value).toSatisfy((value: number) => Number.isSafeInteger(value) && value >= low && value <= last);
        expect(createRandom(seed).integers(BigInt(low), BigInt(high), { endpoint })).toBe(BigInt(value));
      }),
    );
  });

  it("for choice without replacement and for permutations, which repeat nothing", () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 200 }), fc.nat(200), (seed, population, request) => {
        const random = createRandom(seed);
        const sample = random.choice(population, { size: Math.min(request, population), replace: false });
        expect(new Set(sample).size).toBe(Math.min(request, population));
        expect(sample.every((index) => index >= 0 && index < population)).toBe(true);
        expect(random.permutation(population).toSorted((a, b) => a - b)).toEqual([...Array(population).keys()]);
      }),
    );
  });

  it("for weighted choice, which never takes what has no weight", () => {
    const weights = fc.array(fc.nat(5), { minLength: 1, maxLength: 20 }).filter((list) => list.some((w) => w > 0));
    fc.assert(
      fc.property(seeds, weights, (seed, list) => {
        const total = list.reduce((sum, weight) => sum + weight, 0);
        const p = list.map((weight) => weight / total);
        const random = createRandom(seed);
        for (const index of random.choice(list.length, { p, size: 10 })) expect(list[index]).toBeGreaterThan(0);
        const size = list.filter((weight) => weight > 0).length;
        const all = random.choice(list.length, { p, size, replace: false });
        expect(all.toSorted((a, b) => a - b)).toEqual(list.flatMap((weight, index) => (weight > 0 ? [index] : [])));
      }),
    );
  });
});

describe("lists", () => {
  it("give their members, one or many", () => {
    const suit: "C" | "D" = createRandom(3).choice(["C", "D"] as const);
    const suits: ("C" | "D")[] = createRandom(3).choice(["C", "D"] as const, { size: 2 });
    expect(suits[0]).toBe(suit);
  });

  it("are copied by permutation and changed by shuffle, with the same draws", () => {
    const list = "abcdefgh".split("");
    const permuted = createRandom(5).permutation(list);
    expect(list.join("")).toBe("abcdefgh");
    createRandom(5).shuffle(list);
    expect(list).toEqual(permuted);
  });
});

describe("what cannot be drawn is refused before anything is consumed", () => {
  const random = createRandom(1);
  const untouched = random.save();
  it.each([
    ["an empty range", () => random.integers(3, 3)],
    ["a range upside down", () => random.integers(5, 2, { endpoint: true })],
    ["a range without members", () => random.integers(0)],
    ["fractions", () => random.integers(0.5, 3)],
    ["numbers beyond 2^53", () => random.integers(0, 2 ** 54)],
    ["bigints beyond uint64", () => random.integers(0n, 2n ** 64n + 1n)],
    ["bigints that fit neither int64 nor uint64", () => random.integers(-1n, 2n ** 63n + 1n)],
    ["a number with a bigint", () => random.integers(0 as unknown as bigint, 5n)],
    ["a choice from nothing", () => random.choice([])],
    ["a choice below zero", () => random.choice(-1)],
    ["a negative size", () => random.choice(3, { size: -1 })],
    ["more than there are", () => random.choice(3, { size: 4, replace: false })],
    ["more than have a weight", () => random.choice(2, { size: 2, replace: false, p: [1, 0] })],
    ["too few probabilities", () => random.choice(3, { p: [0.5, 0.5] })],
    ["probabilities that miss 1", () => random.choice(2, { p: [0.5, 0.4] })],
    ["negative probabilities", () => random.choice(2, { p: [1.5, -0.5] })],
    ["probabilities that are no numbers", () => random.choice(2, { p: [NaN, 1] })],
    ["no categories", () => random.categorical([])],
    ["uniform upside down", () => random.uniform(1, 0)],
    ["uniform without end", () => random.uniform(0, Infinity)],
    ["a negative deviation", () => random.normal(0, -1)],
    ["half a permutation", () => random.permutation(1.5)],
  ])("%s", (_, draw) => {
    expect(draw).toThrow(Error);
    expect(random.save()).toEqual(untouched);
  });
});

function doubleBits(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes.toString("hex");
}
