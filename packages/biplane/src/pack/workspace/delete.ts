import { reply, text, tool } from "@biplane/core";
import type { Reply, Tool } from "@biplane/core";
import { removeFile } from "../shared/files/remove-file.ts";
import type { Root } from "../shared/files/root.ts";
import { workspacePathField } from "./fields.ts";

export function workspaceDeleteTool(root: Root): Tool {
  return tool({
    name: "workspace_delete",
    title: "Delete a file",
    description:
      "Delete a file or an empty folder in the workspace; with recursive, a folder and everything in it. Cannot be undone.",
    input: {
      type: "object",
      required: ["path"],
      properties: {
        path: workspacePathField,
        recursive: { type: "boolean", default: false, description: "Delete a folder with everything in it" },
      },
    },
    output: {
      type: "object",
      required: ["path", "deleted"],
      properties: {
        path: { type: "string" },
        deleted: { type: "integer", description: "Number of deleted files and folders" },
      },
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
  await using location = await root.find(path, { keepLastLink: true });
  const deleted = await removeFile(location, { recursive, signal });
  return reply(text(`Deleted ${path}`), { structured: { path: location.shown, deleted } });
}
