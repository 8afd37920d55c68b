import type { Pack } from "@biplane/core";
import { Root } from "../shared/files/root.ts";
import { gitRemote, secretsOf } from "./git-remote.ts";
import { Notes } from "./notes.ts";
import { vaultOptions } from "./options.ts";
import type { VaultOptions } from "./options.ts";
import { readOptions } from "../shared/options.ts";
import { Sync } from "./sync.ts";
import { vaultTools } from "./tools.ts";

/** A folder of linked Markdown notes, optionally synchronized with a git repository. */
export function vaultPack({ now, ...options }: VaultOptions & { readonly now?: () => number }): Pack {
  const { root: path, maxBytes, watch, git } = readOptions(options, { pack: "vaultPack", schema: vaultOptions });
  const root = new Root({ path, prefix: "/vault", create: true, isProtected: isHidden });
  const notes = new Notes(root, { maxBytes, isWatched: watch });
  const sync = git?.autoSync
    ? new Sync(gitRemote(root.realPath, git), {
        freshForMs: git.freshForMs,
        onPull: () => notes.changed(),
        ...(now && { now }),
      })
    : undefined;
  const vault: Vault = { root, notes, sync, maxBytes };
  return {
    name: "vault",
    tools: vaultTools(vault),
    ...(git && { secrets: secretsOf(git) }),
    close: () => notes[Symbol.asyncDispose](),
  };
}

/** Shared by the tools of this pack. */
export interface Vault {
  readonly root: Root;
  readonly notes: Notes;
  readonly sync: Sync | undefined;
  readonly maxBytes: number;
}

/** Hides dot files, such as settings of editors and git, and their Windows short names. */
function isHidden(folded: string): boolean {
  return folded.startsWith(".") || /^(git|obsidi|gitatt|gitmod|gitign)~\d/.test(folded);
}
