import { command, oneOf, option } from "./command/define.ts";
import { explainRules, showName, showValue } from "@biplane/core/internal";
import type { CallFacts, Explanation } from "@biplane/core/internal";
import { loadConfig } from "../config/load-config.ts";
import type { ConfigSource } from "../config/resolve-config.ts";
import { BiplaneError } from "@biplane/core";
import { openStore } from "../store/sql-store.ts";
import { usageError } from "./command/exit-code.ts";
import { isExistingStore } from "./existing-state.ts";
import { approvalOutlook, patternOutlook } from "./policy/approval-outlook.ts";
import { callArgs, callFacts } from "./policy/call-facts.ts";
import { readRecordedCall } from "./policy/recorded-call.ts";
import { storeArgs, storeOptions } from "./store-args.ts";

const test = command("Show, rule by rule, what the policies decide about a call", {
  args: {
    call: option(
      "A recorded call: its number or request id in biplane audit show, an approval id, or a JSON file; other options override it",
    ),
    ...callArgs,
    mode: option("simulation or production (default: as configured)", { takes: oneOf("simulation", "production") }),
    pattern: option("A pattern of biplane approvals approve; prints whether it covers the call"),
    expect: option("allow, deny or ask; exits with 1 if the decision differs", {
      takes: oneOf("allow", "deny", "ask"),
    }),
    ...storeArgs,
  },
  run: async ({ args: given, rawArgs }) => {
    if (given.tool === undefined && given.call === undefined)
      throw usageError("Pass the called tool, such as --tool refund, or a recorded call, such as --call 4711.");
    const { store } = (await loadConfig({ ...storeOptions(given), only: ["store"] })).config;
    const recorded = given.call === undefined ? undefined : await readRecordedCall(given.call, storeOptions(given));
    const loaded = await loadConfig({
      file: given.config,
      flags: { mode: given.mode },
      only: ["policies", "policyDefault", "mode"],
    });
    const { policies, policyDefault, mode } = loaded.config;
    if (!policies) throw invalid(`${loaded.source.file ?? "The config"} has no policies, so every call is allowed.`);
    const facts = callFacts(given, { rawArgs, mode, recorded });
    const explanation = explainRules(policies, facts, { otherwise: policyDefault });
    process.stdout.write(report(facts, explanation, loaded.source));
    const { verdict, rule = "" } = explanation.decision;
    if (verdict === "ask" && isExistingStore(store)) {
      await using opened = await openStore(store);
      const outlook = await approvalOutlook(opened, { rule, facts, recorded });
      process.stdout.write(`${outlook}\n`);
    }
    if (given.pattern !== undefined) process.stdout.write(`${patternOutlook(given.pattern, facts)}\n`);
    if (given.expect === undefined || given.expect === verdict) return;
    process.stderr.write(`biplane: Expected ${given.expect}, but the decision is ${verdict}.\n`);
    process.exitCode = 1;
  },
});

/** `biplane policy test` */
export const policyCommand = command("Test the policies of a config file", { subCommands: { test } });

function report(facts: CallFacts, { decision, rule, steps }: Explanation, source: ConfigSource): string {
  const { tool, input, agent, principal, route, mode, now } = facts;
  const scopes = principal.scopes.length > 0 ? ` with ${principal.scopes.join(", ")}` : "";
  const call = `${showName(tool)} ${showValue(input)}
  by ${principal.kind}:${principal.id}${scopes}, agent ${showValue(agent.agentId)}, model ${agent.model ?? "unknown"}
  over ${route}, in ${mode}, at ${new Date(now).toISOString()}`;
  const tried = steps.map(({ rule: index, name, failed }) => {
    const origin = source.originOf(["policies", index]);
    const place = origin.kind === "file" ? ` (${source.file}:${origin.line})` : "";
    const title = `${index + 1}. ${name ?? `rule ${index + 1}`}${place}`;
    if (failed.length === 0) return `${title}: matches`;
    return `${title}: does not match\n${failed.map(({ why }) => `     ${why}`).join("\n")}`;
  });
  if (rule === undefined) tried.push("No rule matches, so policyDefault decides.");
  return `${[call, tried.join("\n"), showDecision(decision)].join("\n\n")}\n`;
}

function showDecision(decision: Explanation["decision"]): string {
  if (decision.verdict === "allow") return "Decision: allow";
  const why = decision.verdict === "deny" ? decision.reason : decision.question;
  return `Decision: ${decision.verdict}: ${why}`;
}

function invalid(message: string): BiplaneError {
  return new BiplaneError("INVALID_DEFINITION", message);
}
