import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { run, StarlarkError } from "@biplane/starlark";

/**
 * The files in `conformance/` follow the specification, a section under each `##`. A case ends with a line that has an
 * arrow: `==>` and what the expression's repr is, or `==!` and the error the line fails with, which begins with a
 * line and column when it is found before the program runs. Lines above it belong to the same case. After `>>>`,
 * all the lines of a case are one expression or statement.
 */
const directory = new URL("conformance/", import.meta.url);
const dialect = { set: true, while: true, topLevelControl: true, globalReassign: true, recursion: true };

describe.each(readdirSync(directory))("%s", (file) => {
  const sections = readSections(readFileSync(new URL(file, directory), "utf8"));
  it.each(sections)("$title", ({ cases }) => {
    expect(cases.length).toBeGreaterThan(0);
    for (const { source, expected } of cases)
      expect({ source, outcome: runCase(source) }).toEqual({ source, outcome: expected });
  });
});

interface Section {
  readonly title: string;
  readonly cases: { source: string; expected: string }[];
}

function readSections(text: string): Section[] {
  const sections: Section[] = [];
  let pending: string[] = [];
  for (const line of text.split("\n")) {
    const arrow = /^(.*?) *(==>|==!) (.*)$/.exec(line);
    if (line.startsWith("## ")) sections.push({ title: line.slice(3), cases: [] });
    else if (arrow) {
      const [, last = "", kind, expected = ""] = arrow;
      sections.at(-1)?.cases.push({ source: toProgram([...pending, last], kind === "==>"), expected });
      pending = [];
    } else if (sections.length > 0 && (line !== "" || pending.length > 0)) pending.push(line);
  }
  return sections;
}

function toProgram(lines: readonly string[], isExpression: boolean): string {
  const isWhole = lines[0] === ">>>";
  const setUp = isWhole ? [] : lines.slice(0, -1);
  const last = isWhole ? lines.slice(1).join("\n") : (lines.at(-1) ?? "");
  return [...setUp, isExpression ? `print(repr(${last}\n))` : last, ""].join("\n");
}

function runCase(source: string): string {
  const printed: string[] = [];
  try {
    run(source, { dialect, print: (line) => printed.push(line), limits: { steps: 1_000_000 } });
    return printed.join("\n");
  } catch (error) {
    if (!(error instanceof StarlarkError)) throw error;
    if (error.code !== "syntax") return error.reason;
    return `${error.location?.line}:${error.location?.column}: ${error.reason}`;
  }
}
