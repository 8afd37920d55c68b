import type { JsonObject } from "../../tool/schema.ts";

export interface MemoryOptions {
  /** The folder that the memory lives in. Made when it is missing. */
  readonly root: string;
  /** The lasting files, beside the notes of each day; the first is meant where none is named. */
  readonly files?: readonly string[];
  /** How large one file may grow. */
  readonly maxBytes?: number;
  /** What `today` means; the machine's time zone if left out. */
  readonly timeZone?: string;
}

export const memoryDefaults = {
  files: ["MEMORY.md"],
  maxBytes: 1024 * 1024,
} as const satisfies Partial<MemoryOptions>;

/** The options as JSON Schema, for files of settings. */
export const memoryOptions: JsonObject = {
  type: "object",
  required: ["root"],
  additionalProperties: false,
  properties: {
    root: {
      type: "string",
      format: "path",
      minLength: 1,
      description: "The folder that the memory lives in; made when missing",
    },
    files: {
      type: "array",
      minItems: 1,
      items: { type: "string", pattern: "^[A-Za-z0-9_-]+\\.md$" },
      default: memoryDefaults.files,
      description: "The lasting files, beside the notes of each day; the first is meant where none is named",
    },
    maxBytes: {
      type: "integer",
      minimum: 1,
      default: memoryDefaults.maxBytes,
      description: "How large one file may grow",
    },
    timeZone: { type: "string", description: "What `today` means; the machine's time zone if left out" },
  },
};
