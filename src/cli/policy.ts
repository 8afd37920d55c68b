import { defineCommand } from "citty";
import { readSteps } from "../call/rules/argument.ts";
import { principalKinds, routes } from "../call/rules/conditions.ts";
import { unknownName } from "../call/rules/near-miss.ts";
import type { CallFacts } from "../call/rules/pattern.ts";
import { explain } from "../call/rules/rules.ts";
import type { Explanation } from "../call/rules/rules.ts";
import { showName, showValue } from "../call/rules/show-value.ts";
import { loadConfig } from "../config/load-config.ts";
import { withValue } from "../config/overlay.ts";
import type { ConfigSource } from "../config/resolve-config.ts";
import { BiplaneError } from "../errors.ts";
import type { Principal, Route } from "../tool/call.ts";

const args = {
  config: { type: "string", description: "The config file; left out, biplane.yaml or BIPLANE_CONFIG" },
  tool: { type: "string", description: "The tool that is called" },
  argument: { type: "string", description: "An argument, such as amount=500; as often as needed" },
  arguments: { type: "string", description: "All arguments, as JSON" },
  principal: { type: "string", description: "Who calls, such as token:ada", default: "local:you" },
  scope: { type: "string", description: "A scope of the principal's; as often as needed" },
  agent: { type: "string", description: "What the caller says it is", default: "unknown" },
  model: { type: "string", description: "The model it says it is" },
  route: { type: "string", description: `The door: ${routes.join(", ")}`, default: "mcp" },
  mode: { type: "string", description: "simulation or production; left out, as configured" },
  at: { type: "string", description: "When, such as 2026-01-05T09:00 (UTC unless said); left out, now" },
  expect: { type: "string", description: "allow, deny or ask: end with 1 where the decision is another" },
} as const;

const test = defineCommand({
  meta: { name: "test", description: "Explain, rule by rule, what the config file's policies decide about a call" },
  args,
  run: async ({ args: given, rawArgs }) => {
    refuseUnknown(rawArgs);
    if (!given.tool) throw invalid("say which tool is called: --tool refund_order");
    const loaded = await loadConfig({
      file: given.config,
      flags: { mode: given.mode },
      only: ["policies", "policyDefault", "mode"],
    });
    const { policies, policyDefault, mode } = loaded.config;
    if (!policies)
      throw invalid(`${loaded.source.file ?? "the config file"} has no policies; without any, every call is allowed`);
    const facts: CallFacts = {
      tool: given.tool,
      input: readArguments(given.arguments, repeated(rawArgs, "argument")),
      agent: { agentId: given.agent, model: given.model },
      principal: readPrincipal(given.principal, repeated(rawArgs, "scope")),
      route: readRoute(given.route),
      mode,
      now: readTime(given.at),
    };
    const explanation = explain(policies, facts, { otherwise: policyDefault });
    process.stdout.write(report(facts, explanation, loaded.source));
    if (given.expect === undefined || given.expect === explanation.decision.verdict) return;
    process.stderr.write(`biplane: expected ${given.expect}, but the decision is ${explanation.decision.verdict}\n`);
    process.exitCode = 1;
  },
});

/** `biplane policy test`: why a call would be allowed, denied or asked about. */
export const policyCommand = defineCommand({
  meta: { name: "policy", description: "Work with the rules of a config file" },
  subCommands: { test },
});

function report(facts: CallFacts, { decision, rule, steps }: Explanation, source: ConfigSource): string {
  const { tool, input, agent, principal, route, mode, now } = facts;
  const scopes = principal.scopes.length > 0 ? ` with ${principal.scopes.join(", ")}` : "";
  const call = `${showName(tool)} ${showValue(input)}
  by ${principal.kind}:${principal.id}${scopes}, agent ${showValue(agent.agentId)}, model ${agent.model ?? "not known"}
  over ${route}, in ${mode}, at ${new Date(now).toISOString()}`;
  const tried = steps.map(({ rule: index, name, failed }) => {
    const origin = source.originOf(["policies", index]);
    const place = origin.kind === "file" ? ` (${source.file}:${origin.line})` : "";
    const title = `${index + 1}. ${name ?? `rule ${index + 1}`}${place}`;
    if (failed.length === 0) return `${title}: fits`;
    return `${title}: does not fit\n${failed.map(({ why }) => `     ${why}`).join("\n")}`;
  });
  if (rule === undefined) tried.push("No rule fits, so policyDefault decides.");
  return `${[call, tried.join("\n"), showDecision(decision)].join("\n\n")}\n`;
}

function showDecision(decision: Explanation["decision"]): string {
  switch (decision.verdict) {
    case "allow":
      return "Decision: allow";
    case "deny":
      return `Decision: deny: ${decision.reason}`;
    case "ask":
      return `Decision: ask: ${decision.question}`;
  }
}

/** A misspelled option would make the explanation one of another call. */
function refuseUnknown(words: readonly string[]): void {
  for (const word of words) {
    const name = /^--([^=]+)/.exec(word)?.[1];
    if (name !== undefined && !Object.hasOwn(args, name))
      throw invalid(`--${name} ${unknownName(name, Object.keys(args), "an option")}`);
  }
}

function repeated(words: readonly string[], name: string): string[] {
  return words.flatMap((word, index) => {
    if (word === `--${name}`) return words[index + 1] ?? [];
    return word.startsWith(`--${name}=`) ? word.slice(name.length + 3) : [];
  });
}

function readArguments(json: string | undefined, pairs: readonly string[]): unknown {
  let input: unknown = {};
  if (json !== undefined) {
    input = parseJson(json);
    if (typeof input !== "object" || input === null || Array.isArray(input))
      throw invalid(`--arguments must be a JSON object, such as '{"amount":500}'`);
  }
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    const steps = readSteps(pair.slice(0, Math.max(0, equals)));
    if (!steps) throw invalid(`--argument must be like amount=500, not ${pair}`);
    const text = pair.slice(equals + 1);
    input = withValue(input, steps, parseJson(text, text));
  }
  return input;
}

function parseJson(text: string, otherwise?: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}

function readPrincipal(text: string, scopes: readonly string[]): Principal {
  const colon = text.indexOf(":");
  const word = colon === -1 ? text : text.slice(0, colon);
  const kind = principalKinds.find((each) => each === word);
  if (!kind) throw invalid(`--principal: ${word} ${unknownName(word, principalKinds, "a kind of principal")}`);
  return { kind, id: colon === -1 ? "somebody" : text.slice(colon + 1), scopes };
}

function readRoute(text: string): Route {
  const route = routes.find((each) => each === text);
  if (!route) throw invalid(`--route: ${text} ${unknownName(text, routes, "a route")}`);
  return route;
}

function readTime(text: string | undefined): number {
  if (text === undefined) return Date.now();
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/i.test(text) || !text.includes("T");
  const time = Date.parse(hasZone ? text : `${text}Z`);
  if (Number.isNaN(time)) throw invalid(`--at must be a time such as 2026-01-05T09:00, not ${text}`);
  return time;
}

function invalid(message: string): BiplaneError {
  return new BiplaneError("INVALID_DEFINITION", message);
}
