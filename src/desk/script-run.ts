import { randomUUID } from "node:crypto";
import { LiveCall } from "../call/live-call.ts";
import type { Outcome } from "../call/outcome.ts";
import { asBiplaneError, BiplaneError } from "../errors.ts";
import type { Entry } from "../pack/script/entry.ts";
import type { ScriptSettings } from "../pack/script/options.ts";
import { Runner } from "../pack/script/runner.ts";
import type { Script } from "../pack/script/script.ts";
import type { Standing } from "../pack/script/standing.ts";
import { replyOf } from "../pack/script/tools.ts";
import type { Server } from "../server/server.ts";
import type { Principal } from "../tool/call.ts";
import { isReply } from "../tool/content.ts";
import type { JsonObject } from "../tool/schema.ts";
import type { ScriptRun, ShownResult } from "./contract.ts";

/** What a script is tried with that nobody has approved: the same limits, no network, and secrets that are none. */
export function dryRunner(settings: ScriptSettings): Runner {
  return new Runner({ ...settings, workers: 1, secrets: standIn });
}

/** Runs these bytes with nothing real in reach. */
export async function tryScript(script: Script, entry: Entry, settings: ScriptSettings): Promise<ScriptRun> {
  const startedAt = performance.now();
  try {
    await using runner = dryRunner(settings);
    const { content, structured } = replyOf(await runner.run(script, entry));
    const result: ShownResult = { content: content as unknown as JsonObject[], structuredContent: structured };
    return { outcome: "done", result, message: null, durationMs: since(startedAt) };
  } catch (error) {
    const { code, message } = asBiplaneError(error);
    return { outcome: code, result: null, message, durationMs: since(startedAt) };
  }
}

export interface CallScriptOptions {
  /** What has the pack. */
  readonly server: Pick<Server, "perform">;
  readonly settings: ScriptSettings;
  readonly by: Principal;
}

/** Runs an approved script the way an agent's call takes: policies, limits, approval, audit and redaction hold. */
export async function callScript(script: Script, entry: Entry, options: CallScriptOptions): Promise<ScriptRun> {
  const { server, settings, by } = options;
  const startedAt = performance.now();
  const agent = { agentId: by.id, model: undefined, requestId: randomUUID(), metadata: {} };
  const wish = callFor(script, entry, settings);
  const outcome = await server.perform(new LiveCall({ ...wish, route: "people", agent, principal: by, patienceMs: 0 }));
  return { ...shownOutcome(outcome), durationMs: since(startedAt) };
}

/** Throws where a person would have to approve the script first. */
export function mustBeApproved({ file, name }: Script, { status, reason }: Standing): void {
  if (status === "approved") return;
  const why = reason === undefined ? "" : ` (${reason})`;
  throw new BiplaneError(
    "POLICY_DENIED",
    `${file} is ${status}${why}; look at it with biplane scripts show ${name}, then approve it`,
  );
}

function standIn(name: string): string {
  return `value-of-${name}`;
}

/** Arguments by name belong to a script that is a tool of its own, in order to any. */
function callFor(script: Script, entry: Entry, { tools }: ScriptSettings): { tool: string; input: JsonObject } {
  const { function: wanted, args = [], named = {} } = entry;
  const { name, header } = script;
  if (Object.keys(named).length === 0) {
    const called = wanted === undefined && args.length === 0 ? {} : { function: wanted ?? "main", args };
    return { tool: "script_run", input: { name, ...called } };
  }
  if (tools.includes(name) && (wanted === undefined || wanted === (header.function ?? "main")))
    return { tool: name, input: named };
  throw new BiplaneError(
    "INVALID_INPUT",
    `${script.file} is no tool of its own, so it takes its arguments in order: give a list`,
  );
}

function shownOutcome(outcome: Outcome): Omit<ScriptRun, "durationMs"> {
  switch (outcome.status) {
    case "done": {
      const { value, content } = outcome;
      const structuredContent = isReply(value) ? value.structured : value;
      const result = { content: content as unknown as JsonObject[], structuredContent };
      return { outcome: "done", result, message: null };
    }
    case "failed":
      return { outcome: outcome.error.code, result: null, message: outcome.error.message };
    case "suspended":
      return { outcome: "suspended", result: null, message: "The call waits for answers" };
  }
}

function since(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10;
}
