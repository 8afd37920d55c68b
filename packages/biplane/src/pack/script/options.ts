import type { ValueOf } from "@biplane/core/internal";
import { anyOf, object } from "../../schema/builders.ts";
import { count, names, optionsOf, path, readOptions } from "../shared/options.ts";
import type { ScriptApprovals } from "./approval-state.ts";

/** Pattern of script names. */
export const scriptName = "^[a-z0-9_-]+$";
const allowedName = { type: "string", pattern: "^[a-z0-9_-]+(\\.star)?$" } as const;

const allowed = object({ name: allowedName, sha256: { type: "string", pattern: "^(sha256:)?[0-9a-f]{64}$" } });

export const scriptOptions = optionsOf(
  { root: path("The folder of the `*.star` scripts, without subfolders; created if missing") },
  {
    allowlist: {
      type: "array",
      items: anyOf({ ...allowedName, description: "A script, whatever it contains" }, allowed),
      default: [],
      description:
        "Scripts that need no approval: `{ name, sha256 }`, or a name alone for any content, if no agent can write to the folder",
    },
    tools: {
      type: "array",
      items: { type: "string", pattern: scriptName },
      default: [],
      description: "Names of scripts that also become tools",
    },
    allow: names([], "Non-public host names, addresses and CIDR ranges that scripts can reach"),
    timeoutMs: {
      ...count(30_000, "Time limit of a run in milliseconds, including sleep and HTTP"),
      minimum: 100,
      maximum: 300_000,
    },
    maxSteps: count(500_000_000, "Maximum number of interpreter steps"),
    maxMemoryMb: { ...count(128, "Memory limit of a run in MB"), maximum: 512 },
    maxOutputBytes: count(256 * 1024, "Maximum printed output in bytes"),
    maxResultBytes: count(2 ** 20, "Maximum size of a result as JSON, in bytes"),
    maxSourceBytes: count(256 * 1024, "Maximum size of a script in bytes"),
    maxHttpBytes: count(10 * 2 ** 20, "Maximum size of an HTTP response in bytes"),
    workers: {
      ...count(4, "Number of scripts that run at once; others wait, and their time limit starts when they run"),
      maximum: 64,
    },
  },
);

/** Options that only a program can set. */
export interface ScriptHooks {
  /** Looks up secrets (default: none exist). */
  readonly secrets?: ((name: string) => string | undefined) | undefined;
  /** Past decisions about scripts (default: every script not on the allowlist is pending). */
  readonly approvals?: ScriptApprovals | undefined;
  readonly now?: (() => number) | undefined;
}

export type ScriptPackOptions = ValueOf<typeof scriptOptions> & ScriptHooks;
export type ScriptSettings = ValueOf<typeof scriptOptions, true> & ScriptHooks;
export type AllowedScript = ValueOf<typeof allowed>;

export function readScriptOptions(options: ValueOf<typeof scriptOptions>): ValueOf<typeof scriptOptions, true> {
  return readOptions(options, { pack: "scriptPack", schema: scriptOptions });
}
