import { BiplaneError, reply, text, tool } from "@biplane/core";
import type { Reply, Tool } from "@biplane/core";
import { Turns } from "@biplane/core/internal";
import { replaceText } from "../shared/files/replace-text.ts";
import { readFile } from "../shared/files/read-file.ts";
import type { Root } from "../shared/files/root.ts";
import { decodeUtf8 } from "../shared/files/decode-utf8.ts";
import { withFileLock, writeFile } from "../shared/files/write-file.ts";
import { workspacePathField } from "./fields.ts";
import { decodeContent } from "./write.ts";

export function workspaceEditTool(root: Root, limits: { maxWriteBytes: number }): Tool {
  return tool({
    name: "workspace_edit",
    title: "Edit a file",
    description:
      "Replace text in a workspace file. old_text must match exactly, and only once unless replace_all is set. " +
      "Include enough surrounding lines to make it unique.",
    input: {
      type: "object",
      required: ["path", "old_text", "new_text"],
      properties: {
        path: workspacePathField,
        old_text: { type: "string", minLength: 1, description: "The exact text to replace" },
        new_text: { type: "string", description: "The replacement text" },
        replace_all: { type: "boolean", default: false, description: "Replace every occurrence" },
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
  await using location = await root.find(input.path);
  return await withFileLock(location, async () => {
    const before = decodeUtf8(await readFile(location, input.maxWriteBytes));
    if (before === undefined) throw new BiplaneError("EXECUTION_ERROR", `${location.shown} is not text.`);
    const { old_text: from, new_text: to, replace_all: isEverywhere = false } = input;
    const { shown } = location;
    const maxBytes = input.maxWriteBytes;
    const { text: after, count } = await replaceText(before, {
      from,
      to,
      isEverywhere,
      shown,
      maxBytes,
      turns: new Turns(),
    });
    const bytes = decodeContent(after, input);
    await writeFile(location, bytes);
    return reply(text(`Replaced ${count} ${count === 1 ? "occurrence" : "occurrences"} in ${input.path}`), {
      structured: { path: location.shown, replacements: count, bytes: bytes.length },
    });
  });
}
