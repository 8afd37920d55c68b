import { reply, text } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { withFolder } from "../files/list-folder.ts";
import type { Root } from "../files/root.ts";
import { walkTree } from "../files/walk-tree.ts";
import type { TreeEntry } from "../files/walk-tree.ts";
import { optionalPathField } from "./fields.ts";

export function listTool(root: Root): Tool {
  return tool({
    name: "workspace_list",
    title: "List a folder",
    description: "List the files and folders in a folder of the workspace, sorted by name; folders end in a slash.",
    input: {
      type: "object",
      properties: {
        path: optionalPathField,
        recursive: { type: "boolean", default: false, description: "Also list what is in the folders below" },
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
              path: { type: "string", description: "Below the folder that was listed" },
              type: { enum: ["file", "folder", "link", "other"] },
            },
          },
        },
        truncated: { type: "boolean", description: "Whether there are more than could be listed" },
      },
    },
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: (input, call) => list(root, { ...(input as ListInput), signal: call.signal }),
  });
}

type ListInput = { readonly path?: string; readonly recursive?: boolean };

const mostEntries = 5000;

async function list(
  root: Root,
  { path = "", recursive = false, signal }: ListInput & { signal: AbortSignal },
): Promise<Reply> {
  await using place = await root.find(path);
  return await withFolder(place, async (folder) => {
    const entries: Pick<TreeEntry, "names" | "type">[] = [];
    const { isCut } = await walkTree(root, folder, {
      maxEntries: mostEntries,
      signal,
      isFlat: !recursive,
      visit: (entry) => void entries.push(entry),
    });
    const lines = entries.map(({ names, type }) => `${names.join("/")}${type === "folder" ? "/" : ""}`);
    if (isCut) lines.push(`… and more: only the first ${mostEntries} are listed`);
    return reply(text(lines.join("\n")), {
      structured: {
        path: place.shown,
        entries: entries.map(({ names, type }) => ({ path: names.join("/"), type })),
        truncated: isCut,
      },
    });
  });
}
