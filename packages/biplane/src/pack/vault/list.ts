import type { Call, Reply, Tool } from "@biplane/core";
import { reply, text, tool } from "@biplane/core";
import { withFolder } from "../shared/files/list-folder.ts";
import { walkTree } from "../shared/files/walk-tree.ts";
import { vaultPathField } from "./fields.ts";
import { syncErrorField, pullBeforeRead } from "./pull-before-read.ts";
import type { Vault } from "./pack.ts";

export function vaultListTool(vault: Vault): Tool {
  return tool({
    name: "vault_list",
    title: "List notes",
    description:
      "List a folder of the vault. Folder names end with a slash. With recursive, list all notes and folders below it as paths in the vault.",
    input: {
      type: "object",
      properties: {
        path: { ...vaultPathField, description: `${vaultPathField.description} (default: the whole vault)` },
        recursive: { type: "boolean", default: false },
      },
    },
    output: {
      type: "object",
      required: ["path", "entries", "truncated"],
      properties: {
        path: { type: "string" },
        entries: { type: "array", items: { type: "string" }, description: "Folder names end with a slash" },
        truncated: { type: "boolean" },
        sync_error: syncErrorField,
      },
    },
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: true },
    run: (input, call) => list(vault, input as ListInput, call),
  });
}

type ListInput = { readonly path?: string; readonly recursive?: boolean };

const maxEntries = 5000;

async function list(vault: Vault, { path = "", recursive = false }: ListInput, call: Call): Promise<Reply> {
  vault.root.parse(path);
  const { fault, notes } = await pullBeforeRead(vault, call);
  await using location = await vault.root.find(path);
  const above = recursive ? location.names : [];
  return await withFolder(location, async (folder) => {
    const entries: string[] = [];
    const { isCut } = await walkTree(vault.root, folder, {
      maxEntries,
      signal: call.signal,
      isFlat: !recursive,
      visit: ({ names, name, type }) => {
        if (recursive && type !== "folder" && !/\.md$/i.test(name)) return;
        entries.push(`${[...above, ...names].join("/")}${type === "folder" ? "/" : ""}`);
      },
    });
    const lines = [...entries, ...(isCut ? [`… and more. Only the first ${maxEntries} entries are listed.`] : [])];
    return reply([text(lines.join("\n") || "No files found"), ...notes], {
      structured: {
        path: location.shown,
        entries,
        truncated: isCut,
        ...(fault !== undefined && { sync_error: fault }),
      },
    });
  });
}
