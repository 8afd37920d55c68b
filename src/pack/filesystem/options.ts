import type { JsonObject } from "../../tool/schema.ts";

export interface FilesystemOptions {
  /** The folders that may be used, by their real paths. They must exist; the first is what `~` means. */
  readonly roots: readonly string[];
  /** How much of a file one answer may hold. */
  readonly maxReadBytes?: number;
  /** How large a file may be written. */
  readonly maxWriteBytes?: number;
  /** Names of files and folders that are neither read nor written, in any spelling. */
  readonly protectedNames?: readonly string[];
  /** Whether files with several names may be used. */
  readonly allowHardLinks?: boolean;
}

export const filesystemDefaults = {
  maxReadBytes: 10 * 1024 * 1024,
  maxWriteBytes: 10 * 1024 * 1024,
  protectedNames: [".git", ".hg", ".svn", ".jj"],
  allowHardLinks: false,
} as const satisfies Partial<FilesystemOptions>;

/** The options as JSON Schema, for files of settings. */
export const filesystemOptions: JsonObject = {
  type: "object",
  required: ["roots"],
  additionalProperties: false,
  properties: {
    roots: {
      type: "array",
      minItems: 1,
      items: { type: "string", format: "path", minLength: 1 },
      description: "The folders that may be used, by their real paths; the first is what ~ means",
    },
    maxReadBytes: {
      type: "integer",
      minimum: 1,
      default: filesystemDefaults.maxReadBytes,
      description: "How much of a file one answer may hold",
    },
    maxWriteBytes: {
      type: "integer",
      minimum: 1,
      default: filesystemDefaults.maxWriteBytes,
      description: "How large a file may be written",
    },
    protectedNames: {
      type: "array",
      items: { type: "string", minLength: 1 },
      default: filesystemDefaults.protectedNames,
      description: "Names of files and folders that are neither read nor written, in any spelling",
    },
    allowHardLinks: {
      type: "boolean",
      default: filesystemDefaults.allowHardLinks,
      description: "Whether files with several names may be used; one of the names may lie outside",
    },
  },
};
