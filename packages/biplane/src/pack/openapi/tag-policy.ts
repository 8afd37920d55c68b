import { allow, ask, deny } from "@biplane/core";
import type { Policy } from "@biplane/core";

/** What happens to calls of an operation. */
export type TagRule = "allow" | "ask" | "deny" | "hide";

/** The strictest rule of an operation's tags. `*` is for tags that have none, and for operations without tags. */
export function ruleOf(tags: readonly string[], rules: Readonly<Record<string, TagRule>>): TagRule {
  const otherwise = rules["*"] ?? "allow";
  const found =
    tags.length === 0 ? [otherwise] : tags.map((tag) => (Object.hasOwn(rules, tag) ? rules[tag] : otherwise));
  return strictness.findLast((rule) => found.includes(rule)) ?? "allow";
}

const strictness = ["allow", "ask", "deny", "hide"] as const;

/** A policy for the tools of a pack, by their rules. */
export function tagPolicy(rules: ReadonlyMap<string, { readonly rule: TagRule; readonly request: string }>): Policy {
  return function openapiTags(_agent, toolName) {
    // A server that is mounted into another one may give its tools a prefix.
    const { rule, request } = rules.get(toolName) ?? { rule: "deny", request: toolName };
    if (rule === "allow") return allow();
    if (rule === "ask") return ask(`${request}?`, { rule: `openapi:${toolName}` });
    return deny(`${request} is not allowed here, because of its tags.`);
  };
}
