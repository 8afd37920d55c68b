import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { run, StarlarkError } from "@biplane/starlark";
import { runs } from "../../support/runs.ts";
import { anyCharacter } from "../../support/any-character.ts";

const library = ["json", "math", "format"] as const;
const value = (expression: string, globals: Record<string, unknown> = {}) =>
  run(`result = ${expression}`, { library, globals }).get("result");

describe("the library", () => {
  test.each<[string, unknown]>([
    ['format("%s is %d, %.2f%%, %v", "x", 3, 1.005, [1, "a"])', 'x is 3, 1.00%, [1,"a"]'],
    ['format("%5d|%-5s|%05d|%x|%q|%t", 42, "ab", -7, 255, "q", True)', '   42|ab   |-0007|ff|"q"|true'],
    ['format("%.2s|%c|%v|%s", "éñx", 233, None, 1 << 70)', "éñ|é|None|1180591620717411303424"],
    ["[type(math.floor(2.5)), math.floor(-2.5), math.ceil(2.1), math.round(-2.5)]", ["int", -3, 3, -3]],
    ["[type(math.sqrt(4)), math.sqrt(4), math.pow(2, 10), math.log(8, 2)]", ["float", 2, 1024, 3]],
    ["math.floor(1 << 70)", 1n << 70n],
    ['[type(json.decode("1")), type(json.decode("1.0")), type(json.decode("1e2"))]', ["int", "float", "float"]],
    ['json.decode("123456789012345678901234567890") + 1', 123456789012345678901234567891n],
    ['json.encode({"b": [1 << 70, None, True], "a": "<&>é"})', '{"b":[1180591620717411303424,null,true],"a":"<&>é"}'],
    ['json.decode(\'{"2": 1, "1": 2, "__proto__": 3}\').keys()', ["2", "1", "__proto__"]],
    ["json.decode('\"é\\\\u00e9\\\\ud83d\\\\ude00\"')", "éé😀"],
  ])("%s", (expression, expected) => {
    expect(value(expression)).toEqual(expected);
  });

  test.each([
    ['format("%d", "x")', "does not accept"],
    ['format("%s")', "no value for"],
    ['format("", 1)', "are not used"],
    ["json.encode({1: 2})", "must be a string"],
    ['json.encode(float("nan"))', "JSON cannot represent"],
    ["json.encode(len)", "JSON cannot represent a function"],
    ['json.decode("[1,]")', "a value is missing"],
    ['json.decode("[" * 100000)', "nested more than"],
    ["json.decode(1)", "want string"],
    ["math.sqrt()", "one number"],
    ['math.floor(float("inf"))', "cannot convert"],
  ])("%s is an error that says why", (expression, why) => {
    expect(() => value(expression)).toThrow(why);
  });

  test.each([
    ["digits", "json.decode('9' * 5000000)"],
    ["lists", "json.decode('[' + '[],' * 5000000 + '1]')"],
    ["parts that are shared", "json.encode([[[['x' * 1000] * 100] * 100] * 100] * 100)"],
    ["texts", "format('%1000s' * 100000, *(['x'] * 100000))"],
  ])("many %s end with a limit instead of taking long", (_, expression) => {
    const limits = { steps: 10_000_000, memoryBytes: 64 * 2 ** 20 };
    const fails = () => run(`result = ${expression}`, { library, limits });
    expect(fails).toThrow(StarlarkError);
    expect(fails).toThrow(/too many steps|bytes allocated|int too large|larger than/);
  });

  test("JSON is read as JSON.parse reads it, and written so that it reads back", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const written = value("json.encode(json.decode(text))", { text }) as string;
        expect(JSON.parse(written)).toEqual(JSON.parse(text, (_, each: unknown) => (each === 0 ? 0 : each)));
      }),
      runs(200),
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: anyCharacter }), fc.json()), (text) => {
        expect(succeeds(() => value("json.decode(text)", { text }))).toBe(succeeds(() => JSON.parse(text) as unknown));
      }),
      runs(300),
    );
  });
});

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
