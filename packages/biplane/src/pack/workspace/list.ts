import { reply, text, tool } from "@biplane/core";
import type { Reply, Tool } from "@biplane/core";
import { withFolder } from "../shared/files/list-folder.ts";
import type { Root } from "../shared/files/root.ts";
import { walkTree } from "../shared/files/walk-tree.ts";
import type { TreeEntry } from "../shared/files/walk-tree.ts";
import { optionalWorkspacePathField } from "./fields.ts";

export function workspaceListTool(root: Root): Tool {
  return tool({
    name: "workspace_list",
    title: "List a folder",
    description: "List a folder of the workspace, sorted by name. Folder names end with a slash.",
    input: {
      type: "object",
      properties: {
        path: optionalWorkspacePathField,
        recursive: { type: "boolean", default: false, description: "Include the content of subfolders" },
      },
    },
    output: {
      type: "object",
      required: ["path", "entries", "truncated"],
      properties: {
        path: { type: "string" },
        entries: {
          type: "array",
          items: {
            type: "object",
            required: ["path", "type"],
            properties: {
              path: { type: "string", description: "Relative to the listed folder" },
              type: { enum: ["file", "folder", "link", "other"] },
            },
          },
        },
        truncated: { type: "boolean", description: "True if there are more entries" },
      },
    },
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: (input, call) => list(root, { ...(input as ListInput), signal: call.signal }),
  });
}

type ListInput = { readonly path?: string; readonly recursive?: boolean };

const maxEntries = 5000;

async function list(
  root: Root,
  { path = "", recursive = false, signal }: ListInput & { signal: AbortSignal },
): Promise<Reply> {
  await using location = await root.find(path);
  return await withFolder(location, async (folder) => {
    const entries: Pick<TreeEntry, "names" | "type">[] = [];
    const { isCut } = await walkTree(root, folder, {
      maxEntries,
      signal,
      isFlat: !recursive,
      visit: (entry) => void entries.push(entry),
    });
    const lines = entries.map(({ names, type }) => `${names.join("/")}${type === "folder" ? "/" : ""}`);
    if (isCut) lines.push(`… and more. Only the first ${maxEntries} entries are listed.`);
    return reply(text(lines.join("\n")), {
      structured: {
        path: location.shown,
        entries: entries.map(({ names, type }) => ({ path: names.join("/"), type })),
        truncated: isCut,
      },
    });
  });
}
