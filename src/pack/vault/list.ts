import type { Call } from "../../tool/call.ts";
import { reply, text } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { withFolder } from "../files/list-folder.ts";
import { walkTree } from "../files/walk-tree.ts";
import { pathField } from "./fields.ts";
import { faultField, freshen } from "./fresh.ts";
import type { Vault } from "./pack.ts";

export function listTool(vault: Vault): Tool {
  return tool({
    name: "vault_list",
    title: "List notes",
    description:
      "List a folder of the vault; folders end in a slash. With recursive: all notes and folders below it, as paths in the vault.",
    input: {
      type: "object",
      properties: {
        path: { ...pathField, description: `${pathField.description}; the whole vault if left out` },
        recursive: { type: "boolean", default: false },
      },
    },
    output: {
      type: "object",
      required: ["path", "entries", "truncated"],
      properties: {
        path: { type: "string" },
        entries: { type: "array", items: { type: "string" }, description: "Folders end in a slash" },
        truncated: { type: "boolean" },
        sync_error: faultField,
      },
    },
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: true },
    run: (input, call) => list(vault, input as ListInput, call),
  });
}

type ListInput = { readonly path?: string; readonly recursive?: boolean };

const mostEntries = 5000;

async function list(vault: Vault, { path = "", recursive = false }: ListInput, call: Call): Promise<Reply> {
  vault.root.parse(path);
  const { fault, notes } = await freshen(vault, call);
  await using place = await vault.root.find(path);
  const above = recursive ? place.names : [];
  return await withFolder(place, async (folder) => {
    const entries: string[] = [];
    const { isCut } = await walkTree(vault.root, folder, {
      maxEntries: mostEntries,
      signal: call.signal,
      isFlat: !recursive,
      visit: ({ names, name, type }) => {
        if (recursive && type !== "folder" && !/\.md$/i.test(name)) return;
        entries.push(`${[...above, ...names].join("/")}${type === "folder" ? "/" : ""}`);
      },
    });
    const lines = [...entries, ...(isCut ? [`… and more: only the first ${mostEntries} are listed`] : [])];
    return reply([text(lines.join("\n") || "No files found"), ...notes], {
      structured: { path: place.shown, entries, truncated: isCut, ...(fault !== undefined && { sync_error: fault }) },
    });
  });
}
