import { oneOf, option, suggested } from "../command/define.ts";
import { principalKinds, readSteps, routes, tryParseJson } from "@biplane/core/internal";
import type { CallFacts } from "@biplane/core/internal";
import type { Principal, Route } from "@biplane/core";
import { withValue } from "../../config/overlay.ts";
import { usageError } from "../command/exit-code.ts";
import type { RecordedCall } from "./recorded-call.ts";

/** The options that describe a call. */
export const callArgs = {
  tool: option("The called tool"),
  argument: option("An argument, such as amount=500; repeatable"),
  arguments: option("All arguments, as a JSON object"),
  principal: option("The caller, such as token:ada (default: local:you)", {
    takes: suggested(...principalKinds.map((kind) => `${kind}:`)),
  }),
  scope: option("A scope of the caller; repeatable"),
  agent: option("The agent id that the caller reports (default: unknown)"),
  model: option("The model that the caller reports"),
  route: option(`How the call arrives: ${routes.join(", ")} (default: mcp)`, { takes: oneOf(...routes) }),
  at: option("Time of the call, such as 2026-01-05T09:00, in UTC unless it has an offset (default: now)"),
} as const;

export type CallArgs = { readonly [Name in keyof typeof callArgs]?: string | undefined };

export interface FactsOptions {
  readonly rawArgs: readonly string[];
  readonly mode: CallFacts["mode"];
  /** The options override what was recorded. */
  readonly recorded?: RecordedCall | undefined;
}

/** What the policies know about the call that the options describe. */
export function callFacts(given: CallArgs, { rawArgs, mode, recorded }: FactsOptions): CallFacts {
  const tool = given.tool ?? recorded?.tool;
  if (!tool) throw usageError("--tool must name a tool, such as --tool refund.");
  if (recorded?.isInputCut && given.arguments === undefined)
    throw usageError("The audit log has only the start of this call's input. Pass all of it with --arguments.");
  const scopes = repeated(rawArgs, "scope");
  const principal = given.principal === undefined ? recorded?.principal : readPrincipal(given.principal);
  const who = principal ?? { kind: "local", id: "you", scopes: [] };
  return {
    tool,
    input: readArguments(given.arguments ?? recorded?.input ?? {}, repeated(rawArgs, "argument")),
    agent: {
      agentId: given.agent ?? recorded?.agent.agentId ?? "unknown",
      model: given.model ?? recorded?.agent.model,
    },
    principal: scopes.length > 0 ? { ...who, scopes } : who,
    route: given.route === undefined ? (recorded?.route ?? "mcp") : (given.route as Route),
    mode,
    now: given.at === undefined ? (recorded?.time ?? Date.now()) : readTime(given.at),
  };
}

/** All values of a repeatable option. citty keeps only the last one. */
function repeated(rawArgs: readonly string[], name: string): string[] {
  return rawArgs.flatMap((arg, index) => {
    if (arg === `--${name}`) return rawArgs[index + 1] ?? [];
    return arg.startsWith(`--${name}=`) ? arg.slice(name.length + 3) : [];
  });
}

/** `base` is JSON from the command line, or a recorded input. */
function readArguments(base: unknown, pairs: readonly string[]): unknown {
  let input = typeof base === "string" ? tryParseJson(base) : base;
  if (typeof base === "string" && (typeof input !== "object" || input === null || Array.isArray(input)))
    throw usageError(`--arguments must be a JSON object, such as '{"amount":500}'.`);
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    const steps = readSteps(pair.slice(0, Math.max(0, equals)));
    if (!steps) throw usageError(`--argument must be a pair such as amount=500, not ${pair}.`);
    const text = pair.slice(equals + 1);
    input = withValue(input, steps, tryParseJson(text, { otherwise: text }));
  }
  return input;
}

function readPrincipal(text: string): Principal {
  const colon = text.indexOf(":");
  const written = colon === -1 ? text : text.slice(0, colon);
  const kind = principalKinds.find((each) => each === written);
  if (!kind)
    throw usageError(`--principal must be kind:id with one of the kinds ${principalKinds.join(", ")}, not ${text}.`);
  return { kind, id: colon === -1 ? "unknown" : text.slice(colon + 1), scopes: [] };
}

function readTime(text: string): number {
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/i.test(text) || !text.includes("T");
  const time = Date.parse(hasZone ? text : `${text}Z`);
  if (Number.isNaN(time)) throw usageError(`--at must be a time such as 2026-01-05T09:00, not ${text}.`);
  return time;
}
