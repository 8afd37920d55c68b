import { allow, ask, deny } from "../policy.ts";
import type { Decision, Policy } from "../policy.ts";
import type { CallFacts } from "./pattern.ts";
import { placeIn, refuse } from "./problem.ts";
import type { Path, Problem } from "./problem.ts";
import { readRules } from "./rule.ts";
import type { CompiledRule, Rule } from "./rule.ts";
import { showName } from "./show-value.ts";

export interface RuleOptions {
  /** What holds where no rule fits. Left out: deny. */
  readonly otherwise?: Verdict;
  readonly now?: () => number;
}

export type Verdict = Decision["verdict"];

/** A policy written as data: the first rule that fits a call decides about it. */
export function rules(list: readonly Rule[], options: RuleOptions = {}): Policy {
  const { otherwise = "deny", now = Date.now } = options;
  const compiled = compile(list);
  return (agent, tool, input, { principal, route, mode, redactor, ruled }) => {
    const facts: CallFacts = { tool, input, agent, principal, route, mode, now: now(), redactor };
    const fitting = compiled.find(({ conditions }) => conditions.every(({ matches }) => matches(facts)));
    ruled?.(fitting ? (fitting.name ?? `rule ${compiled.indexOf(fitting) + 1}`) : "no rule");
    if (fitting) return fitting.decide(facts);
    return fallback(otherwise, facts);
  };
}

/** How rules come to a decision about a call. */
export interface Explanation {
  readonly decision: Decision;
  /** The place in the list of the rule that decided; undefined where none fits. */
  readonly rule: number | undefined;
  /** The rules up to that one, and what in each of them does not fit the call. */
  readonly steps: readonly ExplanationStep[];
}

export interface ExplanationStep {
  readonly rule: number;
  readonly name: string | undefined;
  readonly failed: readonly { readonly path: Path; readonly why: string }[];
}

/** Decides as `rules` would, and says why. */
export function explain(
  list: readonly Rule[],
  facts: CallFacts,
  options: Pick<RuleOptions, "otherwise"> = {},
): Explanation {
  const steps: ExplanationStep[] = [];
  for (const [rule, { name, conditions, decide }] of compile(list).entries()) {
    const failed = conditions
      .filter(({ matches }) => !matches(facts))
      .map(({ path, why }) => ({ path, why: why(facts) }));
    steps.push({ rule, name, failed });
    if (failed.length === 0) return { decision: decide(facts), rule, steps };
  }
  return { decision: fallback(options.otherwise ?? "deny", facts), rule: undefined, steps };
}

function compile(list: readonly Rule[]): readonly CompiledRule[] {
  const problems: Problem[] = [];
  const compiled = readRules(list, placeIn(problems));
  refuse(problems, "the list of rules");
  return compiled;
}

function fallback(otherwise: Verdict, { tool }: CallFacts): Decision {
  if (otherwise === "allow") return allow();
  return otherwise === "ask" ? ask(`May ${showName(tool)} be called?`) : deny(`No rule allows ${showName(tool)}`);
}
