import { createHash } from "node:crypto";
import { ask, deny, isApproverCount } from "../policy.ts";
import type { Decision } from "../policy.ts";
import type { Condition } from "./conditions.ts";
import { readPattern } from "./pattern.ts";
import type { CallFacts, Pattern } from "./pattern.ts";
import type { DocumentCursor } from "./problem.ts";
import { readSentence } from "./sentence.ts";
import { isRecord } from "../../is-record.ts";

/** A pattern with exactly one verdict for the calls that match it: `allow`, `deny` or `ask`. */
export interface Rule extends Pattern {
  readonly name?: string;
  readonly allow?: true;
  /** The reason, shown to the caller. */
  readonly deny?: string;
  /** The question, shown to the approver. */
  readonly ask?: string;
  /** With `ask`: how many different people must approve (default: 1). */
  readonly approvers?: number;
}

export interface CompiledRule {
  readonly name: string | undefined;
  /** Stays the same when rules are added or reordered: the name, or a hash of the rule's text. */
  readonly id: string;
  readonly conditions: readonly Condition[];
  readonly decide: (facts: CallFacts) => Decision;
}

/** Reads a list of rules and reports the mistakes in each. */
export function readRules(written: unknown, cursor: DocumentCursor): readonly CompiledRule[] {
  if (Array.isArray(written)) return written.map((rule, index) => readRule(rule, cursor.at(index)));
  cursor.fail("must be a list of rules");
  return [];
}

function readRule(written: unknown, cursor: DocumentCursor): CompiledRule {
  const conditions = readPattern(written, cursor, ["name", "approvers", ...verdicts]);
  const rule = isRecord(written) ? written : {};
  const name = rule["name"];
  if (name !== undefined && typeof name !== "string") cursor.at("name").fail("must be text");
  if (name === noRule) cursor.at("name").fail(`must not be ${JSON.stringify(noRule)}, which stands for no match`);
  const given = verdicts.filter((verdict) => Object.hasOwn(rule, verdict));
  const [verdict] = given;
  if (!isRecord(written)) return { name: undefined, id: "", conditions, decide: () => deny("") };
  if (given.length > 1) cursor.fail(`has both ${given.join(" and ")}; keep one of them`);
  if (verdict === undefined) cursor.fail("has no verdict; write allow: true, deny: a reason, or ask: a question");
  const { approvers } = rule;
  if (!isApproverCount(approvers)) cursor.at("approvers").fail("must be a whole number from 1 to 20");
  else if (approvers !== undefined && verdict !== "ask")
    cursor.at("approvers").fail("needs ask; other verdicts have no approvers");
  const known = typeof name === "string" && name !== "" ? name : undefined;
  const id = known ?? hashOf(written);
  const about = { rule: id, ...(isApproverCount(approvers) && approvers !== undefined && { approvers }) };
  const decide =
    verdict === undefined
      ? () => deny("")
      : readVerdict({ verdict, written: rule[verdict], about }, cursor.at(verdict));
  return { name: known, id, conditions, decide };
}

function hashOf(rule: object): string {
  return `unnamed rule ${createHash("sha256").update(JSON.stringify(rule)).digest("hex").slice(0, 12)}`;
}

/** Names the decision where no rule matches. */
export const noRule = "no rule";
const verdicts = ["allow", "deny", "ask"] as const;

interface WrittenVerdict {
  readonly verdict: (typeof verdicts)[number];
  readonly written: unknown;
  readonly about: { readonly rule: string; readonly approvers?: number };
}

function readVerdict({ verdict, written, about }: WrittenVerdict, cursor: DocumentCursor): CompiledRule["decide"] {
  const { rule } = about;
  if (verdict === "allow") {
    if (written !== true) cursor.fail("must be true; to deny the call, write deny with a reason");
    const allowed: Decision = Object.freeze({ verdict: "allow", rule });
    return () => allowed;
  }
  if (typeof written !== "string" || written.trim() === "") {
    cursor.fail(
      verdict === "deny" ? "must be the reason, shown to the caller" : "must be the question, shown to the approver",
    );
    return () => deny("");
  }
  const sentence = readSentence(written, cursor);
  return verdict === "deny" ? (facts) => deny(sentence(facts), { rule }) : (facts) => ask(sentence(facts), about);
}
