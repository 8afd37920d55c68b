import type { Pack } from "../../server/pack.ts";
import { createGuard } from "../net/guard.ts";
import { Clearance, scriptTools } from "./clearance.ts";
import { Library } from "./library.ts";
import { scriptDefaults } from "./options.ts";
import type { ScriptPackOptions, ScriptSettings } from "./options.ts";
import { Runner } from "./runner.ts";
import { execTool, listTool, reloadTool, runTool, scriptTool } from "./tools.ts";
import type { Scripts } from "./tools.ts";

/**
 * Starlark scripts of a folder that an agent may run, each only while a person has approved its exact bytes. Without
 * an approver on the server only what the allowlist names runs.
 */
export function scriptPack(options: ScriptPackOptions): Pack {
  const settings: ScriptSettings = { ...scriptDefaults, ...options };
  const { timeoutMs, allow, maxHttpBytes, now } = settings;
  const library = new Library(settings);
  const guard = createGuard({ allow, maxBytes: maxHttpBytes, timeoutMs, userAgent, ...(now && { now }) });
  const runner = new Runner({ ...settings, guard });
  const clearance = new Clearance(scriptTools(library, settings), settings);
  const scripts: Scripts = { library, clearance, runner, settings };
  return {
    name: "script",
    tools: [
      listTool(scripts),
      runTool(scripts),
      execTool(scripts),
      reloadTool(scripts),
      ...settings.tools.map((name) => scriptTool(scripts, name, library.headerOf(name))),
    ],
    policies: [clearance.policy],
    close: () => runner[Symbol.asyncDispose](),
  };
}

const userAgent = "Biplane-Starlark/0.1";
