import { randomUUID } from "node:crypto";
import { LiveCall, asBiplaneError, isReply, serverOf } from "@biplane/core/internal";
import type { JsonObject, Outcome } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { EntryPoint } from "../../pack/script/entry-point.ts";
import type { ScriptSettings } from "../../pack/script/options.ts";
import { ScriptRunner } from "../../pack/script/runner.ts";
import type { Script } from "../../pack/script/script.ts";
import type { ScriptApprovalState } from "../../pack/script/approval-state.ts";
import { replyOf } from "../../pack/script/tools.ts";
import type { Principal, Server } from "@biplane/core";
import type { ScriptRun } from "./script-api.ts";
import type { ResultBody } from "../calls/call-api.ts";

/** A runner for unapproved scripts: the same limits, no network, and placeholder secrets. */
export function dryRunner(settings: ScriptSettings): ScriptRunner {
  return new ScriptRunner({ ...settings, workers: 1, secrets: placeholder });
}

/** Runs a script without network and real secrets. */
export async function tryScript(script: Script, entry: EntryPoint, settings: ScriptSettings): Promise<ScriptRun> {
  const startedAt = performance.now();
  try {
    await using runner = dryRunner(settings);
    const { content, structured } = replyOf(await runner.run(script, entry));
    const result: ResultBody = { content: content as unknown as JsonObject[], structuredContent: structured };
    return { outcome: "done", result, message: null, durationMs: since(startedAt) };
  } catch (error) {
    const { code, message } = asBiplaneError(error);
    return { outcome: code, result: null, message, durationMs: since(startedAt) };
  }
}

export interface CallScriptOptions {
  /** The server with the pack. */
  readonly server: Server;
  readonly settings: ScriptSettings;
  readonly by: Principal;
}

/** Runs an approved script through the normal call path: policies, limits, approval, audit and redaction apply. */
export async function callScript(script: Script, entry: EntryPoint, options: CallScriptOptions): Promise<ScriptRun> {
  const { server, settings, by } = options;
  const startedAt = performance.now();
  const agent = { agentId: by.id, model: undefined, requestId: randomUUID(), metadata: {} };
  const request = callFor(script, entry, settings);
  const outcome = await serverOf(server).perform(
    new LiveCall({ ...request, route: "people", agent, principal: by, patienceMs: 0 }),
  );
  return { ...shownOutcome(outcome), durationMs: since(startedAt) };
}

/** Throws if the script is not approved. */
export function mustBeApproved({ file, name }: Script, { status, reason }: ScriptApprovalState): void {
  if (status === "approved") return;
  const why = reason === undefined ? "" : ` (${reason})`;
  throw new BiplaneError(
    "POLICY_DENIED",
    `${file} is ${status}${why}; review it with biplane scripts show ${name}, then approve it.`,
  );
}

function placeholder(name: string): string {
  return `value-of-${name}`;
}

/** Named arguments need a script with its own tool. Positional arguments work for all. */
function callFor(script: Script, entry: EntryPoint, { tools }: ScriptSettings): { tool: string; input: JsonObject } {
  const { function: wanted, args = [], named = {} } = entry;
  const { name, header } = script;
  if (Object.keys(named).length === 0) {
    const called = wanted === undefined && args.length === 0 ? {} : { function: wanted ?? "main", args };
    return { tool: "script_run", input: { name, ...called } };
  }
  if (tools.includes(name) && (wanted === undefined || wanted === (header.function ?? "main")))
    return { tool: name, input: named };
  throw new BiplaneError("INVALID_INPUT", `${script.file} has no tool of its own. Pass its arguments as a list.`);
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
      return { outcome: "suspended", result: null, message: "The call waits for answers." };
  }
}

function since(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10;
}
