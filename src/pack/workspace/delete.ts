import { reply, text } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { removeFile } from "../files/remove-file.ts";
import type { Root } from "../files/root.ts";
import { pathField } from "./fields.ts";

export function deleteTool(root: Root): Tool {
  return tool({
    name: "workspace_delete",
    title: "Delete a file",
    description:
      "Delete a file or an empty folder of the workspace; with recursive, a folder and everything in it. Cannot be undone.",
    input: {
      type: "object",
      required: ["path"],
      properties: {
        path: pathField,
        recursive: { type: "boolean", default: false, description: "Delete a folder with everything in it" },
      },
    },
    output: {
      type: "object",
      required: ["path", "deleted"],
      properties: { path: { type: "string" }, deleted: { type: "integer", description: "How many files and folders" } },
    },
    timeoutMs: 30_000,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    run: (input, call) => remove(root, { ...(input as DeleteInput), signal: call.signal }),
  });
}

type DeleteInput = { readonly path: string; readonly recursive?: boolean };

async function remove(
  root: Root,
  { path, recursive = false, signal }: DeleteInput & { signal: AbortSignal },
): Promise<Reply> {
  await using place = await root.find(path, { keepLastLink: true });
  const deleted = await removeFile(place, { recursive, signal });
  return reply(text(`Deleted ${path}`), { structured: { path: place.shown, deleted } });
}
