import { ask, deny } from "../policy.ts";
import type { Decision, Policy } from "../policy.ts";
import type { CallFacts } from "./pattern.ts";
import { cursorIn, throwProblems } from "./problem.ts";
import type { Path, Problem } from "./problem.ts";
import { noRule, readRules } from "./rule.ts";
import type { CompiledRule, Rule } from "./rule.ts";
import { showName } from "./show-value.ts";

export interface RuleOptions {
  /** The verdict if no rule matches (default: `deny`). */
  readonly otherwise?: Verdict;
  readonly now?: () => number;
  /** Names the list in the timeline of a call (default: `rules`). */
  readonly name?: string;
}

export type Verdict = Decision["verdict"];

/** A policy from a list of rules. The first rule that matches a call decides. */
export function rules(list: readonly Rule[], options: RuleOptions = {}): Policy {
  const { otherwise = "deny", now = Date.now } = options;
  const compiled = compile(list);
  const decideByRules: Policy = (agent, tool, input, { principal, route, mode, redactor }) => {
    const facts: CallFacts = { tool, input, agent, principal, route, mode, now: now(), redactor };
    const match = compiled.find(({ conditions }) => conditions.every(({ matches }) => matches(facts)));
    return match ? match.decide(facts) : fallback(otherwise, facts);
  };
  written.set(decideByRules, { rules: list, ids: compiled.map(({ id }) => id), otherwise });
  return Object.defineProperty(decideByRules, "name", { value: options.name ?? "rules" });
}

/** What a policy was made from. */
export interface WrittenRules {
  readonly rules: readonly Rule[];
  /** The name of each rule, or a hash of its text. */
  readonly ids: readonly string[];
  readonly otherwise: Verdict;
}

const written = new WeakMap<Policy, WrittenRules>();

/** The rules of a policy that `rules` made. Undefined for any other policy. */
export function writtenRules(policy: Policy): WrittenRules | undefined {
  return written.get(policy);
}

/** Gives a policy that wraps another one its name and its rules. */
export function namedAfter(original: Policy, wrapper: Policy): Policy {
  const own = written.get(original);
  if (own) written.set(wrapper, own);
  return Object.defineProperty(wrapper, "name", { value: original.name });
}

/** How a list of rules decides about one call. */
export interface Explanation {
  readonly decision: Decision;
  /** Index of the rule that decided; undefined if none matches. */
  readonly rule: number | undefined;
  /** The rules up to that one, each with the conditions that do not match. */
  readonly steps: readonly ExplanationStep[];
}

export interface ExplanationStep {
  readonly rule: number;
  readonly name: string | undefined;
  readonly failed: readonly { readonly path: Path; readonly why: string }[];
}

/** Decides like `rules`, and explains the decision. */
export function explainRules(
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
  const compiled = readRules(list, cursorIn(problems));
  throwProblems(problems, "The list of rules");
  return compiled;
}

function fallback(otherwise: Verdict, { tool }: CallFacts): Decision {
  if (otherwise === "allow") return allowedByDefault;
  return otherwise === "ask"
    ? ask(`May ${showName(tool)} be called?`, { rule: noRule })
    : deny(`No rule allows ${showName(tool)}.`, { rule: noRule });
}

const allowedByDefault: Decision = Object.freeze({ verdict: "allow", rule: noRule });
