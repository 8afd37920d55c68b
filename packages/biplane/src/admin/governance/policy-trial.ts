import { setImmediate as nextTurn } from "node:timers/promises";
import { rules } from "@biplane/core";
import type { Decision, Principal, Rule } from "@biplane/core";
import { explainRules, noRule } from "@biplane/core/internal";
import type { CallFacts, Verdict } from "@biplane/core/internal";
import type { CallDetail, CallSummary } from "../calls/call-api.ts";
import type { DryRun, PolicyTest, TriedCall } from "./policy-api.ts";

/** A list of rules, with the verdict if none matches. */
export interface TriedList {
  readonly source: string;
  readonly rules: readonly Rule[];
  readonly otherwise: Verdict;
}

export interface TrialContext {
  readonly mode: CallFacts["mode"];
  /** Scopes are not recorded with calls. Those of a configured token are known. */
  readonly scopesOf: (principal: Pick<Principal, "kind" | "id">) => readonly string[];
}

/** What the rules know about a recorded call. */
export function factsOf(call: CallDetail, { mode, scopesOf }: TrialContext): CallFacts {
  const { tool, input, agent, principal, route, at } = call;
  const { agentId, model } = agent;
  const who = { ...principal, scopes: scopesOf(principal) };
  return { tool, input, agent: { agentId, model }, principal: who, route, mode, now: Date.parse(at) };
}

/** What the rules know about a call that a person describes. */
export function describedFacts(tried: TriedCall, { mode, scopesOf }: TrialContext): CallFacts {
  const {
    tool,
    input,
    principal = { kind: "local", id: "you", scopes: [] },
    agent = "unknown",
    model,
    route,
    at,
  } = tried;
  const scopes = principal.scopes.length > 0 ? principal.scopes : scopesOf(principal);
  const now = at === undefined ? Date.now() : Date.parse(at);
  return { tool, input, agent: { agentId: agent, model }, principal: { ...principal, scopes }, route, mode, now };
}

/** The log keeps only the start of a long input, and says so in it. */
export function isInputCut({ input }: Pick<CallDetail, "input">): boolean {
  return /… \(\d+ more|"…":"\d+ more"/.test(JSON.stringify(input) ?? "");
}

/** Explains what each list decides about one call. */
export function explainLists(lists: readonly TriedList[], facts: CallFacts): Omit<PolicyTest, "isInputCut"> {
  const explained = lists.map(({ source, rules: list, otherwise }) => {
    const { decision, rule, steps } = explainRules(list, facts, { otherwise });
    return {
      source,
      verdict: decision.verdict,
      rule: rule === undefined ? null : (decision.rule ?? null),
      reason: reasonOf(decision),
      steps: steps.map(({ rule: index, name = null, failed }) => ({
        rule: name ?? `rule ${index + 1}`,
        name,
        failed: failed.map(({ why }) => why),
      })),
    };
  });
  return { verdict: strictest(explained.map(({ verdict }) => verdict)), input: facts.input, lists: explained };
}

export interface DryRunOptions {
  readonly calls: readonly CallDetail[];
  /** The list that applies besides the draft. */
  readonly config: TriedList | undefined;
  readonly published: TriedList;
  readonly draft: TriedList;
  readonly context: TrialContext;
}

/** Decides recorded calls by the published rules and by a draft. Pauses, so that it holds up no other call for long. */
export async function dryRun({ calls, config, published, draft, context }: DryRunOptions): Promise<DryRun> {
  const [own, before, after] = [config, published, draft].map((list) => list && deciderOf(list));
  const counts = { before: { allow: 0, deny: 0, ask: 0 }, after: { allow: 0, deny: 0, ask: 0 } };
  const hits = new Map<string, number>();
  const changes: DryRun["changes"][number][] = [];
  let [changed, cut] = [0, 0];
  for (const [index, call] of calls.entries()) {
    if (index % 50 === 49) await nextTurn();
    if (isInputCut(call)) cut++;
    const facts = factsOf(call, context);
    const base = own?.(facts).verdict ?? "allow";
    const old = before?.(facts);
    const now = after?.(facts);
    const verdicts = { before: strictest([base, old?.verdict]), after: strictest([base, now?.verdict]) };
    counts.before[verdicts.before]++;
    counts.after[verdicts.after]++;
    const rule = now?.rule === noRule ? null : (now?.rule ?? null);
    if (rule !== null) hits.set(rule, (hits.get(rule) ?? 0) + 1);
    if (verdicts.before === verdicts.after) continue;
    changed++;
    if (changes.length < maxChanges)
      changes.push({ call: summaryOf(call), ...verdicts, rule, reason: now ? reasonOf(now) : null });
  }
  return {
    calls: calls.length,
    cut,
    ...counts,
    rules: Array.from(hits, ([rule, count]) => ({ rule, hits: count })),
    changed,
    changes,
  };
}

const maxChanges = 100;

/** Compiled once for all calls. */
function deciderOf({ rules: list, otherwise }: TriedList): (facts: CallFacts) => Decision {
  let now = 0;
  const policy = rules(list, { otherwise, now: () => now });
  return (facts) => {
    now = facts.now;
    const { tool, input, principal, route, mode } = facts;
    const agent = { ...facts.agent, requestId: "", metadata: {} };
    const place = { session: undefined, episode: undefined, identity: {}, redactor: undefined };
    return policy(agent, tool, input, { principal, route, mode, ...place }) as Decision;
  };
}

function strictest(verdicts: readonly (Verdict | undefined)[]): Verdict {
  return verdicts.includes("deny") ? "deny" : verdicts.includes("ask") ? "ask" : "allow";
}

function reasonOf(decision: Decision): string | null {
  if (decision.verdict === "allow") return null;
  return decision.verdict === "deny" ? decision.reason : decision.question;
}

function summaryOf({
  input: _input,
  result: _result,
  timeline: _timeline,
  step: _step,
  ...summary
}: CallDetail): CallSummary {
  return summary;
}
