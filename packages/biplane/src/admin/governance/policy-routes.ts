import { BiplaneError } from "@biplane/core";
import type { Policy, Principal } from "@biplane/core";
import { readRuleSource } from "../../config/rule-source.ts";
import type { ResolvedConfig } from "../../config/resolve-config.ts";
import type { PublishedRules, PublishedVersion } from "../../governance/policies/published-rules.ts";
import type { RuleHits } from "../../governance/policies/rule-hits.ts";
import type { AdminParts } from "../admin-parts.ts";
import type { CallDetail } from "../calls/call-api.ts";
import { callDetail } from "../calls/call-view.ts";
import { routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { mayRead } from "../openapi/scopes.ts";
import { policyOperations } from "./policy-api.ts";
import type { PolicyVersion } from "./policy-api.ts";
import { policyLists } from "./policy-lists.ts";
import { describedFacts, dryRun, explainLists, factsOf, isInputCut } from "./policy-trial.ts";
import type { TrialContext, TriedList } from "./policy-trial.ts";

/** What the routes need besides the calls. */
export interface PolicyParts {
  readonly config: ResolvedConfig;
  /** The policies that the config makes. */
  readonly policies: readonly Policy[];
  readonly published: PublishedRules;
  readonly hits: RuleHits;
}

/** Every rule, a way to try them, and the rules that live in the store. */
export function policyRoutes(parts: PolicyParts, { served, log, history }: AdminParts): ApiRoutes {
  const { config, source } = parts.config;
  const context: TrialContext = {
    mode: config.mode,
    scopesOf: ({ kind, id }) => config.auth.tokens?.find((each) => each.id === id && each.kind === kind)?.scopes ?? [],
  };
  const configList: TriedList | undefined = config.policies && {
    source: "config",
    rules: config.policies,
    otherwise: config.policyDefault,
  };
  const inForce = async () => (await parts.published.current())?.rules ?? [];
  const find = async (id: string): Promise<CallDetail> => {
    const known = log.find(id);
    const call = known ? callDetail(known) : await history?.find(id);
    if (call) return call;
    throw new BiplaneError(
      "INVALID_INPUT",
      `No recorded call has the id ${id.slice(0, 80)}. Choose one of Live calls.`,
    );
  };
  const lineOf = (index: number) => {
    const origin = source.originOf(["policies", index]);
    return origin.kind === "file" ? origin.line : null;
  };
  return routesOf(policyOperations, {
    "GET /api/policies": async () => {
      const current = await parts.published.current();
      const lists = policyLists({
        served,
        config: parts.policies,
        published: parts.published.policy,
        publishedRules: current?.rules ?? [],
        hits: await parts.hits.list(),
        lineOf,
      });
      return { lists, published: current ? versionBody(current) : null };
    },
    "GET /api/policies/versions": async () => ({ versions: (await parts.published.history(50)).map(versionBody) }),
    "POST /api/policies/test": async ({ by, body: { call: id, tried, draft } }) => {
      if ((id === undefined) === (tried === undefined))
        throw new BiplaneError(
          "INVALID_INPUT",
          "Pass either call, the id of a recorded call, or tried, a description.",
        );
      if (id !== undefined) requireCalls(by);
      const call = id === undefined ? undefined : await find(id);
      const facts = call ? factsOf(call, context) : describedFacts(tried as NonNullable<typeof tried>, context);
      const own = draft === undefined ? await inForce() : readRuleSource(draft);
      const stored: TriedList = { source: draft === undefined ? "published" : "draft", rules: own, otherwise: "allow" };
      const lists = [...(configList ? [configList] : []), stored];
      return { ...explainLists(lists, facts), isInputCut: call !== undefined && isInputCut(call) };
    },
    "POST /api/policies/dry-run": async ({ by, body: { draft } }) => {
      requireCalls(by);
      const [calls, published] = [await newestCalls({ log, history }), await inForce()];
      const stored = { source: "published", otherwise: "allow" as const };
      return dryRun({
        calls,
        config: configList,
        published: { ...stored, rules: published },
        draft: { ...stored, rules: readRuleSource(draft) },
        context,
      });
    },
    "POST /api/policies/publish": async ({ by, body: { draft, base, comment } }) =>
      versionBody(await parts.published.publish({ source: draft, rules: readRuleSource(draft), base, comment }, by)),
  });
}

const maxCalls = 1000;

/** The response tells what recorded calls contain. */
function requireCalls(by: Principal): void {
  if (!mayRead(by, "calls"))
    throw new BiplaneError("FORBIDDEN", `${by.id} lacks the scope calls:read, which recorded calls need.`);
}

async function newestCalls({ log, history }: Pick<AdminParts, "log" | "history">): Promise<readonly CallDetail[]> {
  if (history) return history.newest(maxCalls);
  return log.list({}, { limit: maxCalls }).calls.map(callDetail);
}

function versionBody({ version, source, publishedBy, publishedAt, comment }: PublishedVersion): PolicyVersion {
  return { version, source, publishedBy, publishedAt, comment };
}
