import type { JsonObject } from "../../tool/schema.ts";

export interface VaultOptions {
  /** The folder of notes that agents see as `/vault`. Made when it is missing. */
  readonly root: string;
  /** Keep the notes in step with a repository elsewhere. */
  readonly git?: VaultGitOptions;
  /** How large a note may be. */
  readonly maxBytes?: number;
  /** Watch the folder, so that searching need not look at every note for changes. */
  readonly watch?: boolean;
}

export interface VaultGitOptions {
  /** https://…, ssh://…, git@host:path, or the path of a bare repository on this machine. No password in it. */
  readonly repository: string;
  readonly branch?: string;
  /** Pull before reading, push after writing. */
  readonly autoSync?: boolean;
  /** Where git keeps its data: outside the vault, so that no note can configure git. */
  readonly folder?: string;
  /** A token for https. */
  readonly token?: string;
  /** A private key for ssh. */
  readonly sshKeyFile?: string;
  /** The hosts ssh may trust. */
  readonly knownHostsFile?: string;
  readonly authorName?: string;
  readonly authorEmail?: string;
  /** How long a pull counts as fresh. */
  readonly freshForMs?: number;
}

export const vaultDefaults = { maxBytes: 1024 * 1024, watch: true } as const satisfies Partial<VaultOptions>;

export const vaultGitDefaults = {
  branch: "main",
  autoSync: true,
  authorName: "Biplane",
  authorEmail: "agent@localhost",
  freshForMs: 10_000,
} as const satisfies Partial<VaultGitOptions>;

/** The options as JSON Schema, for files of settings. */
export const vaultOptions: JsonObject = {
  type: "object",
  required: ["root"],
  additionalProperties: false,
  properties: {
    root: {
      type: "string",
      format: "path",
      minLength: 1,
      description: "The folder of notes that agents see as /vault; made when missing",
    },
    maxBytes: { type: "integer", minimum: 1, default: vaultDefaults.maxBytes, description: "How large a note may be" },
    watch: {
      type: "boolean",
      default: vaultDefaults.watch,
      description: "Watch the folder, so that searching need not look at every note for changes",
    },
    git: {
      type: "object",
      required: ["repository"],
      additionalProperties: false,
      description: "Keep the notes in step with a repository elsewhere",
      properties: {
        repository: {
          type: "string",
          minLength: 1,
          description: "https://…, ssh://…, git@host:path, or the path of a bare repository; no password in it",
        },
        branch: { type: "string", default: vaultGitDefaults.branch },
        autoSync: {
          type: "boolean",
          default: vaultGitDefaults.autoSync,
          description: "Pull before reading, push after writing",
        },
        folder: {
          type: "string",
          format: "path",
          description: "Where git keeps its data: outside the vault, for its owner alone",
        },
        token: { type: "string", description: "A token for https" },
        sshKeyFile: { type: "string", description: "A private key for ssh" },
        knownHostsFile: { type: "string", description: "The hosts ssh may trust" },
        authorName: { type: "string", default: vaultGitDefaults.authorName },
        authorEmail: { type: "string", default: vaultGitDefaults.authorEmail },
        freshForMs: {
          type: "integer",
          minimum: 0,
          default: vaultGitDefaults.freshForMs,
          description: "How long a pull counts as fresh",
        },
      },
    },
  },
};
