import type { Pack } from "../../server/pack.ts";
import { Root } from "../files/root.ts";
import { gitRemote, secretsOf } from "./git-remote.ts";
import { listTool } from "./list.ts";
import { Notes } from "./notes.ts";
import { vaultDefaults, vaultGitDefaults } from "./options.ts";
import type { VaultOptions } from "./options.ts";
import { readTool } from "./read.ts";
import { searchTool } from "./search.ts";
import { Sync } from "./sync.ts";
import { writeTool } from "./write.ts";

/** A folder of Markdown notes that link to each other, kept in step with a git repository where one is given. */
export function vaultPack(options: VaultOptions & { readonly now?: () => number }): Pack {
  const { root: path, maxBytes, watch, git, now } = { ...vaultDefaults, ...options };
  const root = new Root({ path, prefix: "/vault", create: true, isProtected: isHidden });
  const notes = new Notes(root, { maxBytes, isWatched: watch });
  const isSynced = git !== undefined && (git.autoSync ?? vaultGitDefaults.autoSync);
  const sync = isSynced
    ? new Sync(gitRemote(root.realPath, git), {
        freshForMs: git.freshForMs ?? vaultGitDefaults.freshForMs,
        onPull: () => notes.changed(),
        ...(now && { now }),
      })
    : undefined;
  const vault: Vault = { root, notes, sync, maxBytes };
  return {
    name: "vault",
    tools: [readTool(vault), writeTool(vault), listTool(vault), searchTool(vault)],
    ...(git && { secrets: secretsOf(git) }),
    close: () => notes[Symbol.asyncDispose](),
  };
}

/** What the tools of this pack share. */
export interface Vault {
  readonly root: Root;
  readonly notes: Notes;
  readonly sync: Sync | undefined;
  readonly maxBytes: number;
}

/** Settings of editors and of git live behind a dot; Windows has short names for them too. */
function isHidden(folded: string): boolean {
  return folded.startsWith(".") || /^(git|obsidi|gitatt|gitmod|gitign)~\d/.test(folded);
}
