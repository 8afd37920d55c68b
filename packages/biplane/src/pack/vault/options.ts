import type { ValueOf } from "@biplane/core/internal";
import { described, object } from "../../schema/builders.ts";
import { count, flag, optionsOf, path } from "../shared/options.ts";

const git = object(
  {
    repository: {
      type: "string",
      minLength: 1,
      description: "`https://…`, `ssh://…`, `git@host:path`, or the path of a bare repository; without a password",
    },
  },
  {
    branch: { type: "string", default: "main", description: "The branch to follow" },
    autoSync: flag(true, "Pull before reads and push after writes"),
    folder: {
      type: "string",
      format: "path",
      description:
        "Folder for git's data, outside the vault and private to the server's user (default: `biplane/vault/…` in the user's state folder)",
    },
    token: { type: "string", description: "A token for https; never in arguments or results" },
    sshKeyFile: { type: "string", description: "A private key for ssh (default: the ssh agent)" },
    knownHostsFile: {
      type: "string",
      description: "Known hosts file for ssh; the host must be known (default: `~/.ssh/known_hosts`)",
    },
    authorName: { type: "string", default: "Biplane", description: "Author of commits" },
    authorEmail: { type: "string", default: "agent@localhost", description: "Their email address" },
    freshForMs: {
      ...count(10_000, "Minimum time between pulls, in milliseconds; after a failure, three times as long"),
      minimum: 0,
    },
  },
);

export const vaultOptions = optionsOf(
  { root: path("The folder of notes that agents see as `/vault`; created if missing") },
  {
    maxBytes: count(2 ** 20, "Maximum size of a note in bytes"),
    watch: flag(true, "Watch the folder; otherwise each search checks every note for changes"),
    git: described("Synchronize the notes with a git repository", git),
  },
);

export type VaultOptions = ValueOf<typeof vaultOptions>;
export type VaultGitSettings = ValueOf<typeof git, true>;
