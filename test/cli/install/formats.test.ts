import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsoncFormat } from "../../../packages/biplane/src/cli/install/jsonc-format.ts";
import { changeEntry } from "../../../packages/biplane/src/cli/install/settings-format.ts";
import type { SettingsEntry, SettingsFormat } from "../../../packages/biplane/src/cli/install/settings-format.ts";
import { tomlFormat } from "../../../packages/biplane/src/cli/install/toml-format.ts";
import { yamlFormat } from "../../../packages/biplane/src/cli/install/yaml-format.ts";
import { anyCharacter } from "../../support/any-character.ts";

const entry: SettingsEntry = { command: "node", args: ["a.mjs", "--stdio"], env: { KEY: "v" } };
const path = ["servers", "mine"] as const;
const set = (format: SettingsFormat, text: string, given = entry) => changeEntry(text, path, { format, entry: given });
const remove = (format: SettingsFormat, text: string) => changeEntry(text, path, { format, entry: undefined });

describe("JSON with comments", () => {
  test("a new entry stands after the last one and its comment", () => {
    const text = `// mine
{
    "theme": "dark", // at night
    "servers": {
        // the first
        "a": { "command": "a" } // keep this
        /* the end */
    }
}
`;
    expect(set(jsoncFormat, text)).toBe(`// mine
{
    "theme": "dark", // at night
    "servers": {
        // the first
        "a": { "command": "a" }, // keep this
        "mine": {
            "command": "node",
            "args": [
                "a.mjs",
                "--stdio"
            ],
            "env": {
                "KEY": "v"
            }
        }
        /* the end */
    }
}
`);
  });

  test.each([
    ["nothing", ""],
    ["a comment only", "// later\n"],
    ["an empty object", "{}"],
    ["a comment in an empty object", "{\n  // none yet\n}\n"],
    ["no servers", '{ "theme": "dark" }'],
    ["servers that are null", '{ "servers": null }'],
    ["empty servers", '{\n\t"servers": {},\n\t"last": 1\n}'],
    ["trailing commas", '{\n  "servers": {\n    "a": {}, // x\n  },\n}\n'],
    ["one line", '{"servers":{"a":{}}}'],
    ["one line with a trailing comma", '{"servers":{"a":{},}}'],
    ["Windows line ends", '{\r\n  "servers": {\r\n    "a": {} // x\r\n  }\r\n}\r\n'],
    ["the same entry with other values", '{ "servers": { "mine": { "command": "old" }, "b": {} } }'],
  ])("in %s, the entry is added, and the rest is kept", (_, text) => {
    const changed = set(jsoncFormat, text);
    expect(jsoncFormat.parse(changed)).toMatchObject({ servers: { mine: entry } });
    for (const comment of text.match(/\/\/.*/g) ?? []) expect(changed).toContain(comment);
    if (text.includes("\r\n")) expect(changed.replaceAll("\r\n", "")).not.toContain("\n");
    expect(jsoncFormat.parse(remove(jsoncFormat, changed))).not.toHaveProperty("servers.mine");
  });

  test("removing an entry leaves the comments of its neighbours", () => {
    const text =
      '{\n  "servers": {\n    "a": {}, // first\n    "mine": {},\n    // second\n    "b": {} // end\n  }\n}\n';
    expect(remove(jsoncFormat, text)).toBe(
      '{\n  "servers": {\n    "a": {}, // first\n    // second\n    "b": {} // end\n  }\n}\n',
    );
    expect(remove(jsoncFormat, '{\n  "servers": {\n    "a": {}, // first\n    "mine": {}\n  }\n}\n')).toBe(
      '{\n  "servers": {\n    "a": {} // first\n  }\n}\n',
    );
  });
});

describe("TOML", () => {
  test("a new table stands at the end, and a changed one in its place", () => {
    const text = `# mine
model = "o" # a model

[servers.a] # first
command = "a"
args = [
  "[servers.mine]", # not a table
]
note = """
[servers.mine]
"""

# about b
[servers.b]
command = 'b'
`;
    const added = set(tomlFormat, text);
    expect(added).toBe(
      `${text}\n[servers.mine]\ncommand = "node"\nargs = ["a.mjs", "--stdio"]\n\n[servers.mine.env]\nKEY = "v"\n`,
    );
    expect(remove(tomlFormat, added).trimEnd()).toBe(text.trimEnd());
    const between = text.replace("# about b", '[servers."mine"]\ncommand = "old"\n\n# about b');
    const changed = set(tomlFormat, between, { command: "new" });
    expect(changed).toBe(text.replace("# about b", '[servers.mine]\ncommand = "new"\n\n# about b'));
  });

  test.each([
    ["an inline table", 'servers = { a = { command = "a" } }\n'],
    ["dotted keys", 'servers.mine.command = "old"\n'],
  ])("%s cannot be changed, which is said", (_, text) => {
    expect(() => set(tomlFormat, text)).toThrow(/Add mine to it by hand: \{/);
  });

  test("texts of any characters are read back", () => {
    const entries = fc.record({
      command: fc.string({ unit: anyCharacter }),
      args: fc.array(fc.string({ unit: "grapheme" })),
    });
    fc.assert(
      fc.property(entries, (given) => {
        expect(tomlFormat.parse(set(tomlFormat, "a = 1", given))).toMatchObject({ servers: { mine: given } });
      }),
      { numRuns: process.env["BIPLANE_SOAK"] ? 10_000 : 100 },
    );
  });
});

describe("YAML", () => {
  test("a new entry stands after the last one and its comment", () => {
    const text = `# mine
MODEL: x # a model
servers:
  # the first
  a:
    cmd: a # keep
    args:
      - one
      - "two" # also this
  # about what follows
OTHER: y
`;
    expect(set(yamlFormat, text)).toBe(`# mine
MODEL: x # a model
servers:
  # the first
  a:
    cmd: a # keep
    args:
      - one
      - "two" # also this
  mine:
    command: node
    args:
      - a.mjs
      - --stdio
    env:
      KEY: v
  # about what follows
OTHER: y
`);
  });

  test.each([
    ["nothing", ""],
    ["a comment only", "# later\n"],
    ["no servers, and no line end", "MODEL: x"],
    ["servers without a value", "servers: # none\nOTHER: y\n"],
    ["empty servers", "servers: {} # none\nOTHER: y\n"],
    ["servers in one line", "servers: { a: { cmd: a } } # one\n"],
    ["an entry without a value", "servers:\n  a:\nOTHER: y\n"],
    ["a text of several lines", "servers:\n  a:\n    note: |\n      one\n      two\nOTHER: y\n"],
    ["Windows line ends", "servers:\r\n  a:\r\n    cmd: a # x\r\nOTHER: y\r\n"],
    ["the same entry with other values", "servers:\n  mine:\n    cmd: old\n  # b\n  b:\n    cmd: b\n"],
  ])("in %s, the entry is added, and the rest is kept", (_, text) => {
    const changed = set(yamlFormat, text);
    expect(yamlFormat.parse(changed)).toMatchObject({ servers: { mine: entry } });
    for (const comment of text.match(/#[^\r\n]*/g) ?? []) expect(changed).toContain(comment);
    if (text.includes("\r\n")) expect(changed.replaceAll("\r\n", "")).not.toContain("\n");
    if (!text.includes("{ a")) expect(yamlFormat.parse(remove(yamlFormat, changed))).not.toHaveProperty("servers.mine");
  });
});

test.each([
  ["JSON", jsoncFormat, '{ "servers": { ', /something else|where/],
  ["TOML", tomlFormat, "[servers\na = 1", /is not valid TOML: /],
  ["YAML", yamlFormat, "servers: [\n", /cannot be used: /],
  ["JSON", jsoncFormat, "[]", /something other than a map of settings/],
  ["YAML", yamlFormat, "servers: 7", /something other than a map of settings in servers/],
])("broken %s is refused", (_, format, text, reason) => {
  expect(() => set(format, text)).toThrow(reason);
});
