import type { TimelineDecision } from "../../../../packages/core/src/call/call-timeline.ts";
import { noRule } from "../approvals/no-rule.ts";

/** Who decided, as a sentence: `Config file: no rule matched, default allow`. */
export function decisionText({ by, verdict, policy }: TimelineDecision): string {
  if (verdict === "approved") return by;
  if (by === noRule) return `${listOf(policy)}: no rule matched, default ${verdict}`;
  if (policy !== undefined) return `${listOf(policy)}: rule ${by.replace(/^published\//, "")}`;
  if (by === "published rules" && verdict === "allow") return `${listOf(by)}: no rule matched`;
  return verdict === "allow" ? `Code policy ${by}: no objection` : `Code policy ${by}`;
}

/** Where rules are written. Calls that were recorded long ago do not say it. */
function listOf(policy: string | undefined): string {
  if (policy === undefined) return "Rules";
  return lists[policy] ?? `Code policy ${policy}`;
}

const lists: Readonly<Record<string, string>> = {
  "config file": "Config file",
  "published rules": "Published rules",
  rules: "Rules in code",
};
