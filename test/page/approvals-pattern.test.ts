import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describePattern } from "../../page/src/views/approvals/describe-pattern.ts";
import { maxRows, patternOf, rowsOf, startOf } from "../../page/src/views/approvals/pattern.ts";
import { compilePattern } from "../../packages/core/src/call/rules/pattern.ts";
import type { CallFacts } from "../../packages/core/src/call/rules/pattern.ts";

const runs = process.env["BIPLANE_SOAK"] ? 20_000 : 300;

function facts(input: unknown): CallFacts {
  const principal = { kind: "token", id: "ada", scopes: [] } as const;
  return {
    tool: "refund",
    input,
    agent: { agentId: "a", model: "m" },
    principal,
    route: "mcp",
    mode: "simulation",
    now: 0,
  };
}

/** JSON as it comes over the wire, with keys that are hard to name. */
const anyInput = fc
  .dictionary(
    fc.oneof(fc.constantFrom("a", "a.b", "a\\", "", "__proto__", "length", "\\.", "x".repeat(600)), fc.string()),
    fc.jsonValue({ maxDepth: 4 }),
  )
  .map((input): unknown => JSON.parse(JSON.stringify(input)));

describe("a pattern made from an input", () => {
  test("is one that rules can read, and covers that very input", () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { pattern } = patternOf("refund", rowsOf(input).slice(0, maxRows));
        const sent: unknown = JSON.parse(JSON.stringify(pattern));
        expect(compilePattern(sent)(facts(input))).toBe(true);
        expect(describePattern(sent)).toMatch(/calls to refund/);
      }),
      { numRuns: runs },
    );
  });

  test("covers nothing that differs in a value that it names", () => {
    fc.assert(
      fc.property(fc.integer(), fc.string(), fc.string(), (amount, to, other) => {
        fc.pre(to !== other && !/\[REDACTED:/.test(to + other));
        const { pattern } = patternOf("refund", rowsOf({ amount, to, deep: { "in.side": to } }));
        const covers = compilePattern(JSON.parse(JSON.stringify(pattern)));
        expect(covers(facts({ amount, to, deep: { "in.side": to } }))).toBe(true);
        expect(covers(facts({ amount: amount + 1, to, deep: { "in.side": to } }))).toBe(false);
        expect(covers(facts({ amount, to: other, deep: { "in.side": to } }))).toBe(false);
        expect(covers(facts({ amount, to, deep: { "in.side": other } }))).toBe(false);
        expect(covers(facts({ amount, to }))).toBe(false);
      }),
      { numRuns: runs },
    );
  });

  test("whatever bound is chosen begins with what the call has, so that it covers the call", () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.stringMatching(/^[^*?]{1,40}$/),
        (amount, to) => {
          const input: unknown = JSON.parse(JSON.stringify({ amount, to }));
          for (const choice of ["max", "min", "in"] as const) {
            const rows = rowsOf(input).map((row) =>
              row.path === "amount"
                ? { ...row, choice, text: startOf(choice, row.value) }
                : { ...row, choice: "like" as const, text: to },
            );
            const { pattern } = patternOf("refund", rows);
            expect(compilePattern(pattern)(facts(input))).toBe(true);
          }
        },
      ),
      { numRuns: runs },
    );
  });

  test("leaves out what a rule cannot express, and what is redacted", () => {
    const rows = rowsOf({ "": 1, "a\\": 2, key: "Bearer [REDACTED:TOKEN]", none: [], items: [{ price: 5 }] });
    expect(rows.map(({ path, choice, choices }) => [path, choice, choices.length])).toEqual([
      ["", "any", 1],
      ["a\\", "any", 1],
      ["key", "any", 4],
      ["none", "any", 1],
      ["items.0.price", "is", 5],
    ]);
  });
});
