import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createNamespace, run, StarlarkError } from "@biplane/starlark";
import { randomProgram } from "./random/programs.ts";
import { GoReference, prepareReference, type ReferenceAnswer } from "./reference/go-reference.ts";
import { skipWithout } from "../support/needs.ts";

const isSoak = process.env["BIPLANE_SOAK"] === "1";
const programs = isSoak ? 100_000 : 300;
const needsReference = skipWithout(prepareReference(), "Go (test/starlark/reference cannot be built)");

describe("a random program does the same here and in starlark-go", needsReference, () => {
  it(
    `prints the same and fails the same, ${programs} times`,
    async () => {
      using reference = new GoReference();
      const seed = isSoak ? Date.now() & 0x7fffffff : 20_240_601;
      const property = fc.asyncProperty(randomProgram(), async (source) => {
        const ours = runOurs(source);
        // starlark-go has no limit on memory, so what exceeds ours could take the machine down with it.
        if (ours.error === "limit" || source.includes("%F")) return;
        const theirs = await reference.run(source, { steps: 1_000_000 });
        if (isComparable(ours, theirs)) expect({ source, ...ours }).toEqual({ source, ...normalize(theirs) });
      });
      const checked = fc.assert(property, { numRuns: programs, seed, endOnFailure: isSoak });
      await expect(checked).resolves.toBeUndefined();
    },
    isSoak ? 6 * 60 * 60 * 1000 : 60_000,
  );
});

describe("a known program does the same here and in starlark-go", needsReference, () => {
  it.each([
    'd = {"a": None}\nprint(d.get("a", 1), d.setdefault("a", 2), d)\nprint(d.pop("a", 3), d)',
    'd = {"a": None}\nprint(d.pop("a"), d)',
    'd = {}\nprint(d.get("a", 1), d.setdefault("a"), d.pop("b", 4), d)\nd.pop("b")',
    "d = {None: None}\nprint(d.get(None, 1), None in d, d.pop(None), d)",
    'print(b"a" + b"b")\nx = b"a"\nx += b"b"\nprint(x)',
    'x = b"a"\nx += "b"',
    'x = b"a"\nx += [1]',
    'x = [1]\nx += b"ab"',
    'print([1] + b"ab")',
    'print(json, json == json, type(json), dir(json)[0] != "")',
    "{json: 1}",
    "{}[json]",
    "{}.get(json)",
    "set([json])",
    "{(1, json): 1}",
    "print(json in {}, json in {1: 2})",
    "{json.encode: 1}",
  ])("%j", async (source) => {
    using reference = new GoReference();
    expect(runOurs(source)).toEqual(normalize(await reference.run(source)));
  });
});

interface Outcome {
  readonly output: string;
  readonly error: string;
}

function runOurs(source: string): Outcome {
  let output = "";
  try {
    run(source, {
      globals: { json: createNamespace("json", { encode: () => "", decode: () => null }) },
      print: (line) => {
        output += `${line}\n`;
      },
      limits: { steps: 10_000_000, memoryBytes: 64 * 1024 * 1024 },
      dialect: { set: true, while: true, topLevelControl: true, globalReassign: true, recursion: true },
    });
    return { output, error: "" };
  } catch (error) {
    if (!(error instanceof StarlarkError)) throw error;
    return { output, error: error.code === "limit" ? "limit" : error.code === "syntax" ? error.message : error.reason };
  }
}

function normalize({ output, error }: ReferenceAnswer): Outcome {
  return { output, error };
}

/** Where the two are known to differ (see the README), or where starlark-go itself breaks, there is nothing to compare. */
function isComparable(ours: Outcome, theirs: ReferenceAnswer): boolean {
  if (theirs.error.includes("too many steps") || theirs.error.startsWith("panic:")) return false;
  return !knownDifferences.some((pattern) => pattern.test(ours.error) || pattern.test(theirs.error));
}

const knownDifferences = [/signed 64-bit range/, /maximum recursion/, /^symmetric_difference: unhashable/];
