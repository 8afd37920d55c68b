import { rules } from "@biplane/core";
import type { Policy, Rule, Served } from "@biplane/core";
import { serverOf, writtenRules } from "@biplane/core/internal";
import type { WrittenRules } from "@biplane/core/internal";
import { publishedRuleId } from "../../governance/policies/published-rules.ts";
import type { RuleHitRow } from "../../store/tables.ts";
import type { PolicyList, PolicyRule } from "./policy-api.ts";

export interface PolicyListParts {
  readonly served: readonly Served[];
  /** The policies of the config file. */
  readonly config: readonly Policy[];
  /** The policy that applies the published rules. */
  readonly published: Policy;
  readonly publishedRules: readonly Rule[];
  readonly hits: readonly RuleHitRow[];
  /** The line of a rule in the config file. */
  readonly lineOf: (index: number) => number | null;
}

/** Every rule that applies, by where it is written. */
export function policyLists(parts: PolicyListParts): PolicyList[] {
  const { served, config, published, publishedRules, hits, lineOf } = parts;
  const lists = config.map((policy) =>
    listOf(policy, { source: "config", server: null, name: policy.name, hits, lineOf }),
  );
  const inForce = writtenRules(rules(publishedRules, { otherwise: "allow" }));
  if (inForce) {
    const written = { ...inForce, ids: inForce.ids.map(publishedRuleId) };
    lists.push(writtenList(written, { source: "published", server: null, hits }));
  }
  for (const each of served) {
    const { name: server, policies } = serverOf(each);
    const own = hits.filter((row) => row.server === server);
    for (const [index, policy] of policies.entries()) {
      if (policy === published || config.includes(policy)) continue;
      lists.push(listOf(policy, { source: "code", server, name: policy.name || `policy ${index + 1}`, hits: own }));
    }
  }
  return lists;
}

interface ListFacts extends Pick<PolicyListParts, "hits">, Partial<Pick<PolicyListParts, "lineOf">> {
  readonly source: string;
  readonly server: string | null;
}

function listOf(policy: Policy, facts: ListFacts & { readonly name: string }): PolicyList {
  const written = writtenRules(policy);
  return written ? writtenList(written, facts) : codeList(facts);
}

function writtenList(written: WrittenRules, { source, server, hits, lineOf }: ListFacts): PolicyList {
  const listed = written.rules.map((rule, index): PolicyRule => {
    const id = written.ids[index] ?? "";
    const verdict = rule.allow === true ? "allow" : rule.deny === undefined ? "ask" : "deny";
    const line = lineOf?.(index) ?? null;
    const own = hits.filter((row) => row.rule === id);
    return { id, name: rule.name ?? null, verdict, rule: { ...rule }, line, named: [], ...hitsOf(own) };
  });
  return { source, server, otherwise: written.otherwise, rules: listed };
}

function codeList({ source, server, name, hits }: ListFacts & { readonly name: string }): PolicyList {
  const named = hits.filter(({ rule, policy }) => policy === name && rule !== name);
  const own = hits.filter(({ rule }) => rule === name);
  const counts = hitsOf([...own, ...named]);
  const rule = { id: name, name, verdict: null, rule: null, line: null, named: named.map(namedVerdict), ...counts };
  return { source, server, otherwise: null, rules: [rule] };
}

function namedVerdict({ rule, verdict, hits, last_at, last_tool }: RuleHitRow): PolicyRule["named"][number] {
  return { name: rule, verdict, hits, lastAt: new Date(last_at).toISOString(), lastTool: last_tool };
}

function hitsOf(own: readonly RuleHitRow[]): Pick<PolicyRule, "hits" | "lastAt" | "lastVerdict" | "lastTool"> {
  const count = (verdict: RuleHitRow["verdict"]) =>
    own.reduce((sum, row) => sum + (row.verdict === verdict ? row.hits : 0), 0);
  const last = own.toSorted((a, b) => b.last_at - a.last_at)[0];
  return {
    hits: { allow: count("allow"), deny: count("deny"), ask: count("ask") },
    lastAt: last ? new Date(last.last_at).toISOString() : null,
    lastVerdict: last?.verdict ?? null,
    lastTool: last?.last_tool ?? null,
  };
}
