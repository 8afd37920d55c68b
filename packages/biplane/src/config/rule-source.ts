import { BiplaneError } from "@biplane/core";
import type { Rule } from "@biplane/core";
import { cursorIn, readRules, showAt, showProblem } from "@biplane/core/internal";
import type { Problem } from "@biplane/core/internal";
import { readYaml } from "./yaml-source.ts";

/** Reads a YAML list of policy rules that a person wrote. The error has every mistake with its line and column. */
export function readRuleSource(text: string): readonly Rule[] {
  const { value, faults, rangeOf } = readYaml(text);
  const source = { name: "rules", text, hidden: [] };
  if (faults.length > 0)
    throw invalid(faults.map(({ offset, message }) => showAt(source, [offset, offset + 1], message)));
  const problems: Problem[] = [];
  const list = value ?? [];
  readRules(list, cursorIn(problems));
  if (Array.isArray(list) && list.length > maxRules)
    throw invalid([`There are ${list.length} rules. Keep at most ${maxRules}.`]);
  if (problems.length > 0)
    throw invalid(
      problems
        .slice(0, 20)
        .map((problem) => showAt(source, rangeOf(problem.path, problem.at), showProblem(problem, "The list"))),
    );
  return list as readonly Rule[];
}

const maxRules = 200;

function invalid(lines: readonly string[]): BiplaneError {
  return new BiplaneError("INVALID_INPUT", lines.join("\n"));
}
