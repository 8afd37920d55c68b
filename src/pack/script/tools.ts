import { reply, text } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import type { Tool, ToolAnnotations } from "../../tool/tool.ts";
import type { Clearance } from "./clearance.ts";
import { inputSchemaOf } from "./header.ts";
import type { Header } from "./header.ts";
import type { Library } from "./library.ts";
import { scriptName } from "./options.ts";
import type { ScriptSettings } from "./options.ts";
import { ownInput } from "./own-input.ts";
import type { Runner, ScriptResult } from "./runner.ts";
import { standingOf } from "./standing.ts";

/** What the tools of this pack share. */
export interface Scripts {
  readonly library: Library;
  readonly clearance: Clearance;
  readonly runner: Runner;
  readonly settings: ScriptSettings;
}

export function listTool({ library, settings }: Scripts): Tool {
  return tool({
    name: "script_list",
    title: "List scripts",
    description: "List the available Starlark scripts: what each does, the secrets it uses, and whether it may run.",
    output: {
      type: "object",
      required: ["scripts", "count"],
      properties: {
        scripts: {
          type: "array",
          items: {
            type: "object",
            required: ["name", "description", "metadata", "required_secrets", "approval_status"],
            properties: {
              name: { type: "string" },
              description: { type: "string" },
              metadata: { type: "object", additionalProperties: { type: "string" } },
              required_secrets: { type: "array", items: { type: "string" } },
              approval_status: { enum: ["pending", "approved", "rejected", "modified"] },
              problem: { type: "string", description: "Why the script cannot be used" },
            },
          },
        },
        count: { type: "integer" },
      },
    },
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: async () => {
      const scripts = [];
      for (const { name, script, problem } of await library.list()) {
        const { description = "", metadata = {}, secrets = [] } = script?.header ?? {};
        const shown = { name, description, metadata, required_secrets: secrets };
        const status = script ? (await standingOf(script, settings)).status : "pending";
        scripts.push({ ...shown, approval_status: status, ...(problem !== undefined && { problem }) });
      }
      return { scripts, count: scripts.length };
    },
  });
}

export function reloadTool({ library }: Scripts): Tool {
  return tool({
    name: "script_reload",
    title: "Reload scripts",
    description: "Read the scripts again. They are read from disk at every call, so this only tells what is there.",
    output: {
      type: "object",
      required: ["message", "count", "scripts"],
      properties: {
        message: { type: "string" },
        count: { type: "integer" },
        scripts: { type: "array", items: { type: "string" } },
      },
    },
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: async () => {
      const scripts = await library.names();
      return { message: "Scripts reloaded successfully", count: scripts.length, scripts };
    },
  });
}

export function runTool(scripts: Scripts): Tool {
  return tool({
    ...running(scripts),
    name: "script_run",
    title: "Run a script",
    description: "Execute a Starlark script. A script that a person has not approved as it is does not run.",
    input: ownInput({
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string", pattern: scriptName, description: "Name of the script (without .star extension)" },
        function: { type: "string", minLength: 1, description: "Optional function name to call" },
        args: { type: "array", items: {}, description: "Optional arguments to pass to the function" },
      },
    }),
    run: async (input, { signal }) => {
      const script = scripts.clearance.take(input);
      const { function: name, args } = input as { function?: string; args?: unknown[] };
      return replyOf(await scripts.runner.run(script, { function: name, args }, signal));
    },
  });
}

export function execTool(scripts: Scripts): Tool {
  return tool({
    ...running(scripts),
    name: "script_exec",
    title: "Run Starlark code",
    description:
      "Execute arbitrary Starlark, once a person has approved exactly this code. Its value is what main() returns, else the global result.",
    input: ownInput({
      type: "object",
      required: ["code"],
      properties: { code: { type: "string", minLength: 1, description: "Starlark code" } },
    }),
    run: async (input, { signal }) => replyOf(await scripts.runner.run(scripts.clearance.take(input), {}, signal)),
  });
}

/** A script as a tool of its own, with the schema that its header gave when the pack was made. */
export function scriptTool(scripts: Scripts, name: string, header: Header): Tool {
  return tool({
    ...running(scripts),
    name,
    ...(header.description !== undefined && { description: header.description }),
    input: ownInput(inputSchemaOf(header)),
    run: async (input, { signal }) => {
      const script = scripts.clearance.take(input);
      const entry = { function: script.header.function ?? "main", named: input as Record<string, unknown> };
      return replyOf(await scripts.runner.run(script, entry, signal));
    },
  });
}

/** A script has its own time, from when it begins; the call also has the time it may wait for a worker. */
function running({ settings }: Scripts) {
  return { output: resultSchema, timeoutMs: settings.timeoutMs * 2 + 5000, annotations };
}

const annotations: ToolAnnotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: true };

const resultSchema = {
  type: "object",
  required: ["value", "error", "duration_ms", "output"],
  properties: {
    value: { description: "What main(), the function that was called, or the global result came to" },
    error: { type: "null", description: "A script that fails is a result that says so" },
    duration_ms: { type: "number" },
    output: { type: "string", description: "What the script printed" },
  },
};

/** To read: the value as JSON, and what was printed after it. For programs: all of it. */
export function replyOf({ value, output, durationMs }: ScriptResult): Reply {
  const printed = output === "" ? [] : [text(`Printed:\n${output}`)];
  const structured = { value, error: null, duration_ms: durationMs, output };
  return reply([text(JSON.stringify(value)), ...printed], { structured });
}
