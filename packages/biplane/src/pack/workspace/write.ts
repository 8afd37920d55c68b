import { BiplaneError, reply, text, tool } from "@biplane/core";
import type { Reply, Tool } from "@biplane/core";
import { checkSize } from "../shared/files/replace-text.ts";
import type { Root } from "../shared/files/root.ts";
import { withFileLock, writeFile } from "../shared/files/write-file.ts";
import { workspacePathField } from "./fields.ts";

export function workspaceWriteTool(root: Root, { maxWriteBytes }: { maxWriteBytes: number }): Tool {
  return tool({
    name: "workspace_write",
    title: "Write a file",
    description:
      "Write a whole workspace file, replacing its content. Creates missing folders. " +
      "To change a part of a file, use workspace_edit.",
    input: {
      type: "object",
      required: ["path", "content"],
      properties: {
        path: workspacePathField,
        content: { type: "string", description: "The content of the file" },
        encoding: {
          enum: ["utf8", "base64"],
          default: "utf8",
          description: "How content is encoded: text, or bytes in base64",
        },
      },
    },
    output: {
      type: "object",
      required: ["path", "bytes", "created"],
      properties: {
        path: { type: "string" },
        bytes: { type: "integer" },
        created: { type: "boolean", description: "True if the file is new" },
      },
    },
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    run: (input) => write(root, { ...(input as WriteInput), maxWriteBytes }),
  });
}

/** Decodes an agent's content and checks its size. */
export function decodeContent(
  content: string,
  options: { encoding?: "utf8" | "base64"; maxWriteBytes: number },
): Buffer {
  const { encoding = "utf8", maxWriteBytes } = options;
  if (encoding === "base64" && !isBase64(content)) {
    throw new BiplaneError(
      "INVALID_INPUT",
      "The content is not base64. Encode it as base64, or omit encoding for text.",
    );
  }
  const bytes = Buffer.from(content, encoding);
  checkSize(bytes.length, maxWriteBytes);
  return bytes;
}

type WriteInput = { readonly path: string; readonly content: string; readonly encoding?: "utf8" | "base64" };

async function write(root: Root, input: WriteInput & { maxWriteBytes: number }): Promise<Reply> {
  const bytes = decodeContent(input.content, input);
  await using location = await root.find(input.path, { createFolders: true });
  const { isNew } = await withFileLock(location, () => writeFile(location, bytes));
  return reply(text(`Wrote ${bytes.length} bytes to ${input.path}`), {
    structured: { path: location.shown, bytes: bytes.length, created: isNew },
  });
}

function isBase64(content: string): boolean {
  return content.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(content);
}
