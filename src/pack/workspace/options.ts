import type { JsonObject } from "../../tool/schema.ts";

export interface WorkspaceOptions {
  /** The folder that agents see as `/workspace`. Made when it is missing. */
  readonly root: string;
  /** How much of a file one answer may hold. */
  readonly maxReadBytes?: number;
  /** How large a file may be written. */
  readonly maxWriteBytes?: number;
  /** Whether a person is asked before something is deleted. */
  readonly approveDelete?: boolean;
  /** Names of files and folders that are neither read nor written, in any spelling. */
  readonly protectedNames?: readonly string[];
  /** Whether files with several names may be used. */
  readonly allowHardLinks?: boolean;
}

export const workspaceDefaults = {
  maxReadBytes: 1024 * 1024,
  maxWriteBytes: 10 * 1024 * 1024,
  approveDelete: true,
  protectedNames: [".git", ".hg", ".svn", ".jj"],
  allowHardLinks: false,
} as const satisfies Partial<WorkspaceOptions>;

/** The options as JSON Schema, for files of settings. */
export const workspaceOptions: JsonObject = {
  type: "object",
  required: ["root"],
  additionalProperties: false,
  properties: {
    root: {
      type: "string",
      format: "path",
      minLength: 1,
      description: "The folder that agents see as /workspace; made when missing",
    },
    maxReadBytes: {
      type: "integer",
      minimum: 1,
      default: workspaceDefaults.maxReadBytes,
      description: "How much of a file one answer may hold",
    },
    maxWriteBytes: {
      type: "integer",
      minimum: 1,
      default: workspaceDefaults.maxWriteBytes,
      description: "How large a file may be written",
    },
    approveDelete: {
      type: "boolean",
      default: workspaceDefaults.approveDelete,
      description: "Whether a person is asked before something is deleted",
    },
    protectedNames: {
      type: "array",
      items: { type: "string", minLength: 1 },
      default: workspaceDefaults.protectedNames,
      description: "Names of files and folders that are neither read nor written, in any spelling",
    },
    allowHardLinks: {
      type: "boolean",
      default: workspaceDefaults.allowHardLinks,
      description: "Whether files with several names may be used; one of the names may lie outside",
    },
  },
};
