import type { Pack } from "@biplane/core";
import { createNetworkGuard } from "../shared/net/network-guard.ts";
import { scriptGate } from "./script-gate.ts";
import { ScriptLibrary } from "./library.ts";
import { readScriptOptions } from "./options.ts";
import type { ScriptPackOptions, ScriptSettings } from "./options.ts";
import { ScriptRunner } from "./runner.ts";
import { scriptExecTool, scriptListTool, scriptReloadTool, scriptRunTool, scriptTool } from "./tools.ts";
import type { Scripts } from "./tools.ts";

/**
 * Runs Starlark scripts from a folder. A person must approve the exact content of each script. Without an approver,
 * only scripts on the allowlist run.
 */
export function scriptPack({ secrets, approvals, now, ...options }: ScriptPackOptions): Pack {
  const settings: ScriptSettings = { ...readScriptOptions(options), secrets, approvals, now };
  const { timeoutMs, allow, maxHttpBytes } = settings;
  const library = new ScriptLibrary(settings);
  // The limit of the script ends a request that takes too long, so the request's own must come later.
  const guard = createNetworkGuard({
    allow,
    maxBytes: maxHttpBytes,
    timeoutMs: timeoutMs * 2 + 5000,
    userAgent,
    now,
  });
  const runner = new ScriptRunner({ ...settings, guard });
  const gate = scriptGate(library, settings);
  const scripts: Scripts = { library, gate, runner, settings };
  return {
    name: "script",
    tools: [
      scriptListTool(scripts),
      scriptRunTool(scripts),
      scriptExecTool(scripts),
      scriptReloadTool(scripts),
      ...settings.tools.map((name) => scriptTool(scripts, name, library.headerOf(name))),
    ],
    policies: [gate.policy],
    close: () => runner[Symbol.asyncDispose](),
  };
}

const userAgent = "Biplane-Starlark/0.1";
