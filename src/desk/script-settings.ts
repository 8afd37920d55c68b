import type { Approvals } from "../admin/approvals/approvals.ts";
import { BiplaneError } from "../errors.ts";
import { scriptDefaults, scriptOptions } from "../pack/script/options.ts";
import type { ScriptOptions, ScriptSettings } from "../pack/script/options.ts";
import { compileConfig, describeFault } from "../tool/schema.ts";
import { scriptApprovals } from "./script-decisions.ts";

export interface ScriptSettingsParts {
  readonly server: string;
  readonly approvals: Approvals;
  readonly secrets: (name: string) => string | undefined;
}

/** The settings of the script pack as a config file writes them, checked and whole. */
export function scriptSettings(written: Readonly<Record<string, unknown>>, parts: ScriptSettingsParts): ScriptSettings {
  const { server, approvals, secrets } = parts;
  const checked = check(written);
  if (!(checked instanceof Promise || checked.ok))
    throw new BiplaneError("INVALID_DEFINITION", `packs.script: ${describeFault(checked.fault)}`);
  const options = written as unknown as ScriptOptions;
  return { ...scriptDefaults, ...options, secrets, approvals: scriptApprovals(approvals, server) };
}

const check = compileConfig(scriptOptions).check;
