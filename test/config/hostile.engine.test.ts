import { expect, test } from "vitest";
import { complaint } from "./reading.ts";

const bomb = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
for (const [from, to] of ["ab", "bc", "cd", "de", "ef", "fg", "gh", "hi"])
  bomb.push(`${to}: &${to} [${Array(10).fill(`*${from}`).join(", ")}]`);

test.each([
  ["an alias bomb", bomb.join("\n"), /2:8: YAML aliases are not supported/],
  ["a merge of an alias", "a: &a { mode: production }\n<<: *a", /YAML aliases are not supported/],
  ["a tag", "name: !!js/function 'x'", /1:21: YAML tags are not supported/],
  ["a known tag", "name: !!binary aGk=", /YAML tags are not supported/],
  ["a tag of a key", "!x name: y", /a key must be plain text/],
  ["a directive", "%YAML 1.1\n---\nname: yes", /directives are not supported/],
  ["two documents", "name: a\n---\nname: b", /2:1: a second document starts here/],
  ["a key twice", "name: a\nmode: production\nname: b", /3:1: the key "name" appears twice/],
  ["a prototype", "__proto__: { mode: production }", /1:1: __proto__ is not allowed as a key/],
  ["a prototype further down", "packs: { __proto__: {} }", /1:10: __proto__ is not allowed as a key/],
  ["a prototype in quotes", 'packs: { "__proto__": {} }', /__proto__ is not allowed as a key/],
  ["a key that is a list", "? [a]\n: 1", /1:3: /],
  ["a deep list", "[".repeat(100_000), /nested too deeply/],
  ["a deep list that is closed", `${"[".repeat(5000)}${"]".repeat(5000)}`, /nested too deeply/],
  ["deep objects", "{a: ".repeat(50_000), /nested too deeply/],
  ["deep dashes", "- ".repeat(100_000), /nested too deeply/],
  ["deep keys", "? ".repeat(100_000), /nested too deeply/],
  ["deep lines", Array.from({ length: 600 }, (_, level) => `${" ".repeat(level)}a:`).join("\n"), /nested too deeply/],
  ["a long text", `name: ${"x".repeat(300_000)}`, /longer than 262144 characters/],
  [
    "many keys",
    Array.from({ length: 25_000 }, (_, key) => `k${key}: 1`).join("\n"),
    /k0 is not a known key[^]*and 24950 more$/,
  ],
  ["many closing brackets", "]".repeat(50_000), /1:1: /],
  ["many commas", `[${",".repeat(50_000)}]`, /1:/],
  ["an endless quote", `name: "${"x\n".repeat(100_000)}`, /Missing closing/],
  ["a tab", "http:\n\tmaxBodyBytes: 1", /2:1: /],
])("%s is refused, and quickly", (_, text, message) => {
  const before = process.cpuUsage();
  expect(complaint(text)).toMatch(message);
  // Not by the clock: others may be using the machine.
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(5000);
});

test("control characters do not reach the terminal", () => {
  const shown = complaint("nam\u001B[31me: x\u009B");
  expect(shown).toMatch(/1:1: .*is not a known key/);
  expect(shown).not.toContain("\u001B");
  expect(shown).not.toContain("\u009B");
});

test("a file that cannot be read does not show what may be a secret in it", () => {
  const text = "auth:\n  tokens:\n    - id: ada\n      token: hunter2hunter2 ] }\n   bad";
  const shown = complaint(text) + complaint('apiKey: "hunter2');
  expect(shown).not.toContain("hunter2");
});
