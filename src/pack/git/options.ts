import type { JsonObject } from "../../tool/schema.ts";

export interface GitPackOptions {
  /** The folder of a repository, with its `.git` in it. */
  readonly root: string;
  /** Whom commits are from. */
  readonly authorName?: string;
  readonly authorEmail?: string;
  /** Without it, only tools that change nothing. */
  readonly canWrite?: boolean;
  /** How much one answer may hold. */
  readonly maxBytes?: number;
}

export const gitDefaults = {
  authorName: "Biplane",
  authorEmail: "agent@localhost",
  canWrite: true,
  maxBytes: 200_000,
} as const satisfies Partial<GitPackOptions>;

/** The options as JSON Schema, for files of settings. */
export const gitOptions: JsonObject = {
  type: "object",
  required: ["root"],
  additionalProperties: false,
  properties: {
    root: {
      type: "string",
      format: "path",
      minLength: 1,
      description: "The folder of a repository, with its .git in it",
    },
    authorName: { type: "string", default: gitDefaults.authorName, description: "Whom commits are from" },
    authorEmail: { type: "string", default: gitDefaults.authorEmail },
    canWrite: {
      type: "boolean",
      default: gitDefaults.canWrite,
      description: "Whether there are tools that stage, commit and switch branches",
    },
    maxBytes: {
      type: "integer",
      minimum: 1,
      default: gitDefaults.maxBytes,
      description: "How much one answer may hold",
    },
  },
};
