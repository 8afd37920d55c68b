import { reply, text } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { moveFile } from "../files/move-file.ts";
import type { Root } from "../files/root.ts";
import { pathField } from "./fields.ts";

export function moveTool(root: Root): Tool {
  return tool({
    name: "workspace_move",
    title: "Move a file",
    description: "Move or rename a file or folder in the workspace. What is at the new path is never replaced.",
    input: { type: "object", required: ["from", "to"], properties: { from: pathField, to: pathField } },
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
  const goal = root.parse(input.to);
  await using from = await root.find(input.from, { keepLastLink: true });
  await using to = await root.find(goal, { keepLastLink: true, createFolders: from.stats !== undefined });
  await moveFile(from, to);
  return reply(text(`Moved ${input.from} to ${input.to}`), { structured: { from: from.shown, to: to.shown } });
}
