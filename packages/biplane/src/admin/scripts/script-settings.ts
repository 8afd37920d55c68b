import type { Approvals } from "../../governance/approvals/approvals.ts";
import { readScriptOptions } from "../../pack/script/options.ts";
import type { ScriptPackOptions, ScriptSettings } from "../../pack/script/options.ts";
import { scriptApprovals } from "./script-decisions.ts";

export interface ScriptSettingsParts {
  readonly server: string;
  readonly approvals: Approvals;
  readonly secrets: (name: string) => string | undefined;
}

/** Checks the script pack's options from the config file and completes them. */
export function scriptSettings(written: Readonly<Record<string, unknown>>, parts: ScriptSettingsParts): ScriptSettings {
  const { server, approvals, secrets } = parts;
  const options = readScriptOptions(written as unknown as ScriptPackOptions);
  return { ...options, secrets, approvals: scriptApprovals(approvals, server) };
}
