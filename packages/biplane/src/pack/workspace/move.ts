import { reply, text, tool } from "@biplane/core";
import type { Reply, Tool } from "@biplane/core";
import { moveFile } from "../shared/files/move-file.ts";
import type { Root } from "../shared/files/root.ts";
import { workspacePathField } from "./fields.ts";

export function workspaceMoveTool(root: Root): Tool {
  return tool({
    name: "workspace_move",
    title: "Move a file",
    description: "Move or rename a file or folder in the workspace. Never replaces an existing file.",
    input: {
      type: "object",
      required: ["from", "to"],
      properties: { from: workspacePathField, to: workspacePathField },
    },
    output: {
      type: "object",
      required: ["from", "to"],
      properties: { from: { type: "string" }, to: { type: "string" } },
    },
    timeoutMs: 30_000,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    run: (input) => move(root, input as MoveInput),
  });
}

type MoveInput = { readonly from: string; readonly to: string };

async function move(root: Root, input: MoveInput): Promise<Reply> {
  const destination = root.parse(input.to);
  await using from = await root.find(input.from, { keepLastLink: true });
  await using to = await root.find(destination, { keepLastLink: true, createFolders: from.stats !== undefined });
  await moveFile(from, to);
  return reply(text(`Moved ${input.from} to ${input.to}`), { structured: { from: from.shown, to: to.shown } });
}
