import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BiplaneError } from "biplane";
import { compilePattern } from "../../../packages/core/src/call/rules/pattern.ts";
import { runs } from "../../support/runs.ts";
import { facts } from "./facts.ts";

const matches = (pattern: unknown, some: Parameters<typeof facts>[0] = {}) => compilePattern(pattern)(facts(some));

describe("a pattern", () => {
  it.each([
    [{ tool: "refund_*" }, true],
    [{ tool: ["get_*", "refund_*"] }, true],
    [{ tool: "get_*" }, false],
    [{ principal: "token:ada" }, true],
    [{ principal: "token:a*" }, true],
    [{ principal: "token" }, true],
    [{ principal: ["local", "token:bob"] }, false],
    [{ principal: { kind: ["token", "person"], id: "a?a" } }, true],
    [{ principal: { scopes: ["refunds", "crm:read"] } }, true],
    [{ principal: { scopes: ["refunds", "crm:write"] } }, false],
    [{ agent: "claude*" }, true],
    [{ model: "gpt*" }, false],
    [{ route: ["execute", "mcp"] }, true],
    [{ route: "code" }, false],
    [{ mode: "production" }, true],
    [{ mode: "simulation" }, false],
    [{ tool: "refund_*", mode: "simulation" }, false],
    [{ arguments: { amount: 500 } }, true],
    [{ arguments: { amount: "500" } }, false],
    [{ arguments: { amount: { min: 500, max: 500 } } }, true],
    [{ arguments: { amount: { min: 501 } } }, false],
    [{ arguments: { "user.name": { like: "a*" } } }, true],
    [{ arguments: { "user.tags.1": "vip" } }, true],
    [{ arguments: { "user.tags.length": { min: 0 } } }, false],
    [{ arguments: { "user.tags": { each: { like: "??*" } } } }, true],
    [{ arguments: { "user.tags": { not: { each: "vip" } } } }, true],
    [{ arguments: { amount: { in: [1, 500] } } }, true],
    [{ arguments: { amount: { is: "integer" } } }, true],
    [{ arguments: { amount: { is: ["string", "null"] } } }, false],
    [{ arguments: { amount: { not: 500 } } }, false],
    [{ arguments: { amount: { any: [1, { min: 400 }] } } }, true],
    [{ arguments: { amount: { exists: true }, note: { exists: false } } }, true],
  ])("%j: %s", (pattern, isMatch) => {
    expect(matches(pattern)).toBe(isMatch);
  });

  it.each(["note", "user.age", "user.name.length", "toString", "__proto__", "constructor.name"])(
    "finds no argument %s, and then nothing fits but that it is left out",
    (path) => {
      for (const matcher of [
        null,
        { not: 1 },
        { not: { like: "*" } },
        { not: { not: 1 } },
        { any: [1, { not: 2 }] },
        { exists: true },
        { exists: false, min: 1 },
        { is: ["null", "object", "string"] },
        { each: 1 },
      ])
        expect(matches({ arguments: { [path]: matcher } })).toBe(false);
      expect(matches({ arguments: { [path]: { exists: false } } })).toBe(true);
      expect(matches({ arguments: { [path]: { any: [{ exists: false }, { max: 1 }] } } })).toBe(true);
    },
  );

  it("finds a key that has a dot in it when the dot is escaped", () => {
    expect(matches({ arguments: { "a\\.b.c": 1 } }, { input: { "a.b": { c: 1 } } })).toBe(true);
    expect(matches({ arguments: { "a.b.c": 1 } }, { input: { "a.b": { c: 1 } } })).toBe(false);
  });

  it("does not fit a model that the caller did not name", () => {
    expect(matches({ model: "*" }, { agent: { agentId: "x", model: undefined } })).toBe(false);
  });

  it.each([
    [{ days: ["mon"] }, "2026-01-05T00:00:00Z", true],
    [{ days: "tue" }, "2026-01-05T00:00:00Z", false],
    [{ from: "08:00", to: "18:00" }, "2026-01-05T08:00:00Z", true],
    [{ from: "8:00", to: "18:00" }, "2026-01-05T18:00:00Z", false],
    [{ from: "08:00", to: "18:00", zone: "Europe/Berlin" }, "2026-01-05T07:00:00Z", true],
    [{ from: "08:00", to: "18:00", zone: "Europe/Berlin" }, "2026-07-06T06:00:00Z", true],
    [{ from: "08:00", to: "18:00", zone: "Europe/Berlin" }, "2026-07-06T16:30:00Z", false],
    [{ days: ["fri"], from: "22:00", to: "06:00" }, "2026-01-10T05:59:00Z", true],
    [{ days: ["fri"], from: "22:00", to: "06:00" }, "2026-01-09T05:00:00Z", false],
    [{ days: ["sun"], from: "22:00", to: "06:00" }, "2026-01-05T05:00:00Z", true],
    [{ from: "22:00" }, "2026-01-05T23:59:59Z", true],
    [{ to: "24:00" }, "2026-01-05T23:59:59Z", true],
  ])("with the time %j at %s: %s", (time, at, isMatch) => {
    expect(matches({ time }, { now: Date.parse(at) })).toBe(isMatch);
  });

  it.each<[unknown, readonly (string | number)[], RegExp]>([
    [
      { arguments: { amount: { mn: 1 } } },
      ["arguments", "amount", "mn"],
      /arguments\.amount\.mn is not a known key; did you mean min\?/,
    ],
    [{ tol: "x" }, ["tol"], /did you mean tool\?/],
    [{ arguments: { amount: { min: "1" } } }, ["arguments", "amount", "min"], /must be a number/],
    [{ arguments: { amount: { min: 2, max: 1 } } }, ["arguments", "amount", "min"], /above max/],
    [{ arguments: { amount: [1] } }, ["arguments", "amount"], /\{ in: \[...\] \}/],
    [{ arguments: { amount: {} } }, ["arguments", "amount"], /is empty/],
    [
      { arguments: { amount: { any: [{ lke: "x" }] } } },
      ["arguments", "amount", "any", 0, "lke"],
      /did you mean like\?/,
    ],
    [{ arguments: { "a..b": 1 } }, ["arguments", "a..b"], /not a path to an argument/],
    [{ arguments: {} }, ["arguments"], /one or more arguments/],
    [{ principal: "tken:ada" }, ["principal"], /did you mean token\?/],
    [{ principal: {} }, ["principal"], /is empty/],
    [{ principal: { scope: ["x"] } }, ["principal", "scope"], /did you mean scopes\?/],
    [{ principal: { scopes: [] } }, ["principal", "scopes"], /is empty/],
    [{ route: "mpc" }, ["route"], /"mpc".*did you mean mcp\?/],
    [{ tool: null }, ["tool"], /must be text/],
    [{ tool: [] }, ["tool"], /is empty/],
    [{ tool: "x".repeat(257) }, ["tool"], /at most 256/],
    [{ time: {} }, ["time"], /has no time/],
    [{ time: { zone: "UTC" } }, ["time"], /has no time/],
    [{ time: { from: 8 } }, ["time", "from"], /"08:00"/],
    [{ time: { from: "24:30" } }, ["time", "from"], /"08:00"/],
    [{ time: { from: "08:00", zone: "Mars" } }, ["time", "zone"], /Europe\/Berlin/],
    [{ time: { days: ["monday"] } }, ["time", "days", 0], /did you mean mon\?/],
    [{ time: { from: "08:00", to: "08:00" } }, ["time", "to"], /the same as from/],
    [{}, [], /has no condition/],
    [null, [], /must have keys/],
    [["tool"], [], /must have keys/],
    [JSON.parse('{"__proto__":{"tool":"*"}}'), ["__proto__"], /not a known key/],
    [{ tool: "*", arguments: { a: nested(20) } }, ["arguments", "a", ...Array<string>(15).fill("not")], /too deeply/],
    [nested(100_000), ["not"], /not a known key/],
  ])("that is wrong is refused by path: %#", (pattern, path, message) => {
    const error = errorOf(() => compilePattern(pattern));
    expect(error.code).toBe("INVALID_DEFINITION");
    expect(error.message).toMatch(message);
    expect(error.details).toMatchObject({ path });
  });

  it("is refused with a path, matches or does not match, for any input", () => {
    const words =
      "tool principal agent arguments time like in min max not any each exists is kind id scopes days from to zone " +
      "* token:* mon 08:00 string amount";
    const word = fc.constantFrom(...words.split(" "));
    const written = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "medium" },
        word,
        fc.constantFrom(null, true, 1, 500, Number.NaN),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(word, tie("value"), { maxKeys: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(written, fc.anything(), (pattern, input) => {
        try {
          expect(typeof matches(pattern, { input })).toBe("boolean");
        } catch (error) {
          if (!(error instanceof BiplaneError)) throw error;
          expect(error.details).toHaveProperty("path");
        }
      }),
      runs(1000),
    );
  });
});

function nested(levels: number): unknown {
  let inner: unknown = { exists: true };
  for (let level = 0; level < levels; level++) inner = { not: inner };
  return inner;
}

function errorOf(action: () => unknown): BiplaneError {
  try {
    action();
  } catch (error) {
    if (error instanceof BiplaneError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
