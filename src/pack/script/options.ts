import type { JsonObject } from "../../tool/schema.ts";
import type { ScriptApprovals } from "./standing.ts";

export interface ScriptOptions {
  /** The folder of the scripts, `*.star`; folders in it are not looked into. Made when it is missing. */
  readonly root: string;
  /** Scripts that need no person's approval, each by the exact bytes it may have. */
  readonly allowlist?: readonly AllowedScript[];
  /** Scripts that are tools of their own too, by name. */
  readonly tools?: readonly string[];
  /** Hosts, addresses and ranges that scripts may reach although they are not public. */
  readonly allow?: readonly string[];
  /** How long a script may run, sleeping and fetching included. */
  readonly timeoutMs?: number;
  readonly maxSteps?: number;
  readonly maxMemoryMb?: number;
  /** How much a script may print. */
  readonly maxOutputBytes?: number;
  /** How large a result may be, as JSON. */
  readonly maxResultBytes?: number;
  /** How large a script may be. */
  readonly maxSourceBytes?: number;
  /** How large an answer of `http.get` and `http.post` may be. */
  readonly maxHttpBytes?: number;
  /** How many scripts run at once; others wait. */
  readonly workers?: number;
}

export interface AllowedScript {
  /** Without `.star`. */
  readonly name: string;
  /** 64 hexadecimal digits, as `biplane scripts show` prints them. */
  readonly sha256: string;
}

/** What a program gives the pack besides settings. */
export interface ScriptPackOptions extends ScriptOptions {
  /** Where the values of secrets are. Left out: there are none. */
  readonly secrets?: (name: string) => string | undefined;
  /** What people have decided about scripts so far. Left out: everything that is not on the allowlist is pending. */
  readonly approvals?: ScriptApprovals;
  readonly now?: () => number;
}

export const scriptDefaults = {
  allowlist: [],
  tools: [],
  allow: [],
  timeoutMs: 30_000,
  maxSteps: 500_000_000,
  maxMemoryMb: 128,
  maxOutputBytes: 256 * 1024,
  maxResultBytes: 1024 * 1024,
  maxSourceBytes: 256 * 1024,
  maxHttpBytes: 10 * 1024 * 1024,
  workers: 4,
} as const satisfies Partial<ScriptOptions>;

export type ScriptSettings = ScriptPackOptions & Required<Omit<ScriptOptions, "root">>;

/** What a script may be called. */
export const scriptName = "^[a-z0-9_-]+$";

const count = (name: "maxSteps" | "maxOutputBytes" | "maxResultBytes" | "maxSourceBytes", description: string) => ({
  type: "integer",
  minimum: 1,
  default: scriptDefaults[name],
  description,
});

/** The options as JSON Schema, for files of settings. */
export const scriptOptions: JsonObject = {
  type: "object",
  required: ["root"],
  additionalProperties: false,
  properties: {
    root: {
      type: "string",
      format: "path",
      minLength: 1,
      description: "The folder of the scripts, *.star; made when missing",
    },
    allowlist: {
      type: "array",
      items: {
        type: "object",
        required: ["name", "sha256"],
        additionalProperties: false,
        properties: {
          name: { type: "string", pattern: scriptName, description: "Without .star" },
          sha256: { type: "string", pattern: "^(sha256:)?[0-9a-f]{64}$" },
        },
      },
      default: scriptDefaults.allowlist,
      description: "Scripts that need no person's approval, each by the exact bytes it may have",
    },
    tools: {
      type: "array",
      items: { type: "string", pattern: scriptName },
      default: scriptDefaults.tools,
      description: "Scripts that are tools of their own too, by name",
    },
    allow: {
      type: "array",
      items: { type: "string", minLength: 1 },
      default: scriptDefaults.allow,
      description: "Hosts, addresses and ranges that scripts may reach although they are not public",
    },
    timeoutMs: {
      type: "integer",
      minimum: 100,
      maximum: 300_000,
      default: scriptDefaults.timeoutMs,
      description: "How long a script may run, sleeping and fetching included",
    },
    maxSteps: count("maxSteps", "How many steps a script may take"),
    maxMemoryMb: {
      type: "integer",
      minimum: 1,
      maximum: 512,
      default: scriptDefaults.maxMemoryMb,
      description: "How much a script may allocate in all",
    },
    maxOutputBytes: count("maxOutputBytes", "How much a script may print"),
    maxResultBytes: count("maxResultBytes", "How large a result may be, as JSON"),
    maxSourceBytes: count("maxSourceBytes", "How large a script may be"),
    maxHttpBytes: {
      type: "integer",
      minimum: 1,
      default: scriptDefaults.maxHttpBytes,
      description: "How large an answer to http.get and http.post may be",
    },
    workers: {
      type: "integer",
      minimum: 1,
      maximum: 64,
      default: scriptDefaults.workers,
      description: "How many scripts run at once; others wait",
    },
  },
};
