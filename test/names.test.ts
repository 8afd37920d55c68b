import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Names that stand for two things on purpose, with the reason. */
const exceptions = new Map([
  ["text", "a part of a result in core, the schema of a string in biplane/schema; both are the usual word"],
  ["number", "the schema of a number in biplane/schema, an option of a command in biplane/cli"],
  ["count", "an option that is a whole number, of a pack and of a command"],
]);

/** Lines that need a retired word. */
const allowedLines = [
  /openTrainerDoors|OPEN_TRAINER_DOORS|open-trainer-doors/, // former names that config files and scripts may still use
  /snapshot\.belongings|readonly belongings\?/, // snapshots of version 0.1
  /Not enough seats on flight|SIM card re-seated/, // texts of tau2's tools
  /lunar-lander.*\bground\b|the craft over the ground/, // where the lander lands
  /"desk"|new desk|packages\/gallery\/src\/wordle\/words/, // things that are sold, and the words of Wordle
];

test.each([
  ["core, gallery and biplane", ["core", "gallery", "biplane"]] as const,
  ["starlark", ["starlark"]] as const,
  ["the page", ["page"]] as const,
])("in %s every exported name stands for one thing", (_, packages) => {
  const places = new Map<string, string[]>();
  for (const name of packages) {
    for (const file of filesIn(name === "page" ? "page/src" : `packages/${name}/src`, /\.tsx?$/)) {
      for (const exported of exportsOf(read(file))) places.set(exported, [...(places.get(exported) ?? []), file]);
    }
  }
  const collisions = [...places].filter(([name, files]) => files.length > 1 && !exceptions.has(name));
  expect(Object.fromEntries(collisions)).toEqual({});
});

/** Metaphors and phrases of version 0.1. Each has a plain word now; CHANGELOG.md has the table. */
const retired = [
  /\bhouses?\b/i,
  /\bwings?\b/i,
  /\bdoors?\b/i,
  /\bdesks?\b/i,
  /\bseat(s|ed|ing)?\b/i,
  /\bground\b/i,
  /\bshelf|shelve[sd]?\b/i,
  /\bworkbench/i,
  /\bbelongings?\b/i,
  /\bpassages?\b/i,
  /\bgatekeeper/i,
  /\bstrangers?\b/i,
  /\btrails?\b/i,
  /\bwish(es)?\b/i,
  /\bdeeds?\b/i,
  /\bwhoever\b/i,
  /\bhis\b|\bhim\b|\bhimself\b|\bhe\b/i,
  /\b(comes?|came) to\b/i,
  /\b(is|are|was|were) told\b|\btold (of|as|so)\b/i,
  /\blets? through\b/i,
  /\(else /,
  /[a-z](House|Door|Doors|Desk|Seat|Seating|Wing|Trail|Passage|Wish|Deed)\b/,
  /\b(house|door|desk|seat|wing|trail|passage|wish|deed)[A-Z]/,
];

test("code, docs, help and page use none of the retired words", () => {
  const files = [
    ...["core", "gallery", "biplane", "starlark"].flatMap((name) => filesIn(`packages/${name}/src`, /\.ts$/)),
    ...filesIn("page/src", /\.(tsx?|css)$/),
    ...filesIn("docs", /\.md$/),
    ...filesIn("test", /(?<!names\.test)\.(ts|mjs)$/),
    ...["examples", "bench", "scripts", "conformance", "interop"].flatMap((name) => filesIn(name, /\.(ts|mjs|py|md)$/)),
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
  ];
  const found = files.flatMap((file) =>
    read(file)
      .split("\n")
      .map((line, at) => ({ line, place: `${file}:${at + 1}: ${line.trim()}` }))
      .filter(
        ({ line, place }) => retired.some((word) => word.test(line)) && !allowedLines.some((each) => each.test(place)),
      )
      .map(({ place }) => place),
  );
  expect(found).toEqual([]);
});

function exportsOf(source: string): Set<string> {
  // The templates of `biplane init` contain exports, but are not ours.
  const code = source.replaceAll(/`[^`]*`/g, "");
  const declared = code.matchAll(
    /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:class|interface|type|const|function\*?) (\w+)/gm,
  );
  return new Set(Array.from(declared, ([, name = ""]) => name));
}

function filesIn(folder: string, pattern: RegExp): string[] {
  return (
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      // Names with a dot in front are of tests that run meanwhile.
      .filter((file) => pattern.test(file) && !file.includes("node_modules") && !basename(file).startsWith("."))
      .map((file) => join(folder, file))
  );
}

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}
