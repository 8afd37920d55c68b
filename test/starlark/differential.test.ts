import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run, StarlarkError } from "../../src/starlark/index.ts";
import { randomProgram } from "./random/programs.ts";
import { GoReference, prepareReference, type ReferenceAnswer } from "./reference/go-reference.ts";

const isSoak = process.env["BIPLANE_SOAK"] === "1";
const programs = isSoak ? 100_000 : 300;
const hasReference = prepareReference();
if (!hasReference) console.log("differential test skipped: go could not build test/starlark/reference");

describe.skipIf(!hasReference)("a random program does the same here and in starlark-go", () => {
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

interface Outcome {
  readonly output: string;
  readonly error: string;
}

function runOurs(source: string): Outcome {
  let output = "";
  try {
    run(source, {
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
