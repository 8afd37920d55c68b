import { BiplaneError } from "../../errors.ts";
import { reply, text } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { replaceText } from "../files/replace-text.ts";
import { readFile } from "../files/read-file.ts";
import type { Root } from "../files/root.ts";
import { decodeText } from "../files/decode-text.ts";
import { inTurn, writeFile } from "../files/write-file.ts";
import { pathField } from "./fields.ts";
import { bytesOf } from "./write.ts";

export function editTool(root: Root, limits: { maxWriteBytes: number }): Tool {
  return tool({
    name: "workspace_edit",
    title: "Edit a file",
    description:
      "Replace text in a file of the workspace. old_text must be there exactly, and exactly once unless replace_all is set: " +
      "give enough of the lines around it to make it the only one.",
    input: {
      type: "object",
      required: ["path", "old_text", "new_text"],
      properties: {
        path: pathField,
        old_text: { type: "string", minLength: 1, description: "The text to replace, letter for letter" },
        new_text: { type: "string", description: "What to put in its place" },
        replace_all: { type: "boolean", default: false, description: "Replace it wherever it is" },
      },
    },
    output: {
      type: "object",
      required: ["path", "replacements", "bytes"],
      properties: { path: { type: "string" }, replacements: { type: "integer" }, bytes: { type: "integer" } },
    },
    timeoutMs: 30_000,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    run: (input) => edit(root, { ...(input as EditInput), ...limits }),
  });
}

type EditInput = {
  readonly path: string;
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all?: boolean;
};

async function edit(root: Root, input: EditInput & { maxWriteBytes: number }): Promise<Reply> {
  await using place = await root.find(input.path);
  return await inTurn(place, async () => {
    const before = decodeText(await readFile(place, input.maxWriteBytes));
    if (before === undefined) throw new BiplaneError("EXECUTION_ERROR", `${place.shown} is not text`);
    const { old_text: from, new_text: to, replace_all: isEverywhere = false } = input;
    const { text: after, count } = replaceText(before, { from, to, isEverywhere, shown: place.shown });
    const bytes = bytesOf(after, input);
    await writeFile(place, bytes);
    return reply(text(`Replaced ${count} ${count === 1 ? "place" : "places"} in ${input.path}`), {
      structured: { path: place.shown, replacements: count, bytes: bytes.length },
    });
  });
}
