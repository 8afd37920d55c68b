import { allow, ask, deny } from "../policy.ts";
import type { Decision } from "../policy.ts";
import type { Condition } from "./conditions.ts";
import { readPattern } from "./pattern.ts";
import type { CallFacts, Pattern } from "./pattern.ts";
import type { Place } from "./problem.ts";
import { isRecord } from "./read-list.ts";
import { readSentence } from "./sentence.ts";

/** A pattern and, beside its keys, what is decided about the calls that fit it: exactly one of allow, deny and ask. */
export interface Rule extends Pattern {
  readonly name?: string;
  readonly allow?: true;
  /** The reason, which the caller reads. */
  readonly deny?: string;
  /** The question, which a person reads. */
  readonly ask?: string;
}

export interface CompiledRule {
  readonly name: string | undefined;
  readonly conditions: readonly Condition[];
  readonly decide: (facts: CallFacts) => Decision;
}

/** Reads a list of rules, saying what is wrong with each of them. */
export function readRules(written: unknown, place: Place): readonly CompiledRule[] {
  if (Array.isArray(written)) return written.map((rule, index) => readRule(rule, place.at(index)));
  place.fail("must be a list of rules");
  return [];
}

function readRule(written: unknown, place: Place): CompiledRule {
  const conditions = readPattern(written, place, ["name", ...verdicts]);
  const rule = isRecord(written) ? written : {};
  const name = rule["name"];
  if (name !== undefined && typeof name !== "string") place.at("name").fail("must be text");
  const given = verdicts.filter((verdict) => Object.hasOwn(rule, verdict));
  const [verdict] = given;
  if (!isRecord(written)) return { name: undefined, conditions, decide: () => deny("") };
  if (given.length > 1) place.fail(`has both ${given.join(" and ")}; one of them decides`);
  if (verdict === undefined) place.fail("decides nothing; write allow: true, deny: a reason, or ask: a question");
  const decide = verdict === undefined ? () => deny("") : readVerdict(verdict, rule[verdict], place.at(verdict));
  return { name: typeof name === "string" ? name : undefined, conditions, decide };
}

const verdicts = ["allow", "deny", "ask"] as const;

function readVerdict(verdict: (typeof verdicts)[number], written: unknown, place: Place): CompiledRule["decide"] {
  if (verdict === "allow") {
    if (written !== true) place.fail("must be true; to refuse, write deny with a reason");
    return allow;
  }
  if (typeof written !== "string" || written.trim() === "") {
    place.fail(verdict === "deny" ? "must be the reason, which the caller reads" : "must be the question");
    return () => deny("");
  }
  const sentence = readSentence(written, place);
  return verdict === "deny" ? (facts) => deny(sentence(facts)) : (facts) => ask(sentence(facts));
}
