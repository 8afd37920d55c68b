import { reply, text as textContent, tool } from "@biplane/core";
import type { Reply, Tool, ToolAnnotations } from "@biplane/core";
import { integer, list, map, number, object, text } from "../../schema/builders.ts";
import { packTool, readsLocally } from "../shared/pack-tool.ts";
import type { ScriptGate } from "./script-gate.ts";
import { inputSchemaOf } from "./header.ts";
import type { ScriptHeader } from "./header.ts";
import type { ScriptLibrary } from "./library.ts";
import { scriptName } from "./options.ts";
import type { ScriptSettings } from "./options.ts";
import type { ScriptRunner, ScriptResult } from "./runner.ts";
import { approvalStateOf, scriptStatuses } from "./approval-state.ts";

/** Shared by the tools of this pack. */
export interface Scripts {
  readonly library: ScriptLibrary;
  readonly gate: ScriptGate;
  readonly runner: ScriptRunner;
  readonly settings: ScriptSettings;
}

export function scriptListTool({ library, settings }: Scripts): Tool {
  return packTool({
    ...readsLocally,
    name: "script_list",
    title: "List scripts",
    description: "List the Starlark scripts with their description, secrets and approval status.",
    output: object({
      scripts: list(
        object(
          {
            name: text,
            description: text,
            metadata: map(text),
            required_secrets: list(text),
            approval_status: { enum: scriptStatuses },
          },
          { problem: { type: "string", description: "Why the script cannot be used" } },
        ),
      ),
      count: integer,
    }),
    run: async () => {
      const scripts = [];
      for (const { name, script, problem } of await library.list()) {
        const { description = "", metadata = {}, secrets = [] } = script?.header ?? {};
        const shown = { name, description, metadata, required_secrets: secrets };
        const status = script ? (await approvalStateOf(script, settings)).status : "pending";
        scripts.push({ ...shown, approval_status: status, ...(problem !== undefined && { problem }) });
      }
      return { scripts, count: scripts.length };
    },
  });
}

export function scriptReloadTool({ library }: Scripts): Tool {
  return packTool({
    ...readsLocally,
    name: "script_reload",
    title: "Reload scripts",
    description: "List the script names. Scripts are read from disk at every call, so reloading is not needed.",
    output: object({ message: text, count: integer, scripts: list(text) }),
    run: async () => {
      const scripts = await library.names();
      return { message: "Scripts reloaded successfully", count: scripts.length, scripts };
    },
  });
}

export function scriptRunTool(scripts: Scripts): Tool {
  return packTool({
    ...running(scripts),
    name: "script_run",
    title: "Run a script",
    description: "Run a Starlark script. It runs only if a person has approved its current content.",
    input: object(
      { name: { type: "string", pattern: scriptName, description: "Name of the script, without .star" } },
      {
        function: { type: "string", minLength: 1, description: "The function to call (default: main)" },
        args: { type: "array", items: {}, description: "Arguments of the function" },
      },
    ),
    run: async ({ function: name, args }, call) => {
      const script = scripts.gate.take(call);
      return replyOf(await scripts.runner.run(script, { function: name, args }, call));
    },
  });
}

export function scriptExecTool(scripts: Scripts): Tool {
  return packTool({
    ...running(scripts),
    name: "script_exec",
    title: "Run Starlark code",
    description:
      "Run Starlark code after a person has approved exactly this code. Its value is the return value of main(), otherwise the global result.",
    input: object({ code: { type: "string", minLength: 1, description: "Starlark code" } }),
    run: async (_, call) => replyOf(await scripts.runner.run(scripts.gate.take(call), {}, call)),
  });
}

/** A script as a tool. Its schema comes from the header at the time the pack was created. */
export function scriptTool(scripts: Scripts, name: string, header: ScriptHeader): Tool {
  return tool({
    ...running(scripts),
    name,
    ...(header.description !== undefined && { description: header.description }),
    input: inputSchemaOf(header),
    run: async (input, call) => {
      const script = scripts.gate.take(call);
      const entry = { function: script.header.function ?? "main", named: input };
      return replyOf(await scripts.runner.run(script, entry, call));
    },
  });
}

/** The call's timeout includes waiting for a worker. The script's own time limit starts with the run. */
function running({ settings }: Scripts) {
  return { output: resultSchema, timeoutMs: settings.timeoutMs * 2 + 5000, annotations };
}

const annotations: ToolAnnotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: true };

const resultSchema = object({
  value: { description: "The return value of main() or the called function, or the global result" },
  error: { type: "null", description: "Always null: a failing script is an error result" },
  duration_ms: number,
  output: { type: "string", description: "Printed output" },
});

/** Text content: the value as JSON, then the printed output. Structured content: everything. */
export function replyOf({ value, output, durationMs }: ScriptResult): Reply {
  const printed = output === "" ? [] : [textContent(`Printed:\n${output}`)];
  const structured = { value, error: null, duration_ms: durationMs, output };
  return reply([textContent(JSON.stringify(value)), ...printed], { structured });
}
