import { BiplaneError } from "../../errors.ts";
import { reply, text } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import type { Tool } from "../../tool/tool.ts";
import type { Root } from "../files/root.ts";
import { inTurn, writeFile } from "../files/write-file.ts";
import { pathField } from "./fields.ts";

export function writeTool(root: Root, { maxWriteBytes }: { maxWriteBytes: number }): Tool {
  return tool({
    name: "workspace_write",
    title: "Write a file",
    description:
      "Write a whole file of the workspace, with the folders it needs; what was there before is replaced. " +
      "To change a part of a file, use workspace_edit.",
    input: {
      type: "object",
      required: ["path", "content"],
      properties: {
        path: pathField,
        content: { type: "string", description: "What the file shall hold" },
        encoding: {
          enum: ["utf8", "base64"],
          default: "utf8",
          description: "How content is written: text, or bytes in base64",
        },
      },
    },
    output: {
      type: "object",
      required: ["path", "bytes", "created"],
      properties: {
        path: { type: "string" },
        bytes: { type: "integer" },
        created: { type: "boolean", description: "Whether the file is new" },
      },
    },
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    run: (input) => write(root, { ...(input as WriteInput), maxWriteBytes }),
  });
}

/** The bytes an agent gave, no more of them than allowed. */
export function bytesOf(content: string, options: { encoding?: "utf8" | "base64"; maxWriteBytes: number }): Buffer {
  const { encoding = "utf8", maxWriteBytes } = options;
  if (encoding === "base64" && !isBase64(content)) {
    throw new BiplaneError("INVALID_INPUT", "The content is not base64: write it so, or leave encoding out for text");
  }
  const bytes = Buffer.from(content, encoding);
  if (bytes.length <= maxWriteBytes) return bytes;
  throw new BiplaneError("INVALID_INPUT", `The content has ${bytes.length} bytes; a file may have ${maxWriteBytes}`);
}

type WriteInput = { readonly path: string; readonly content: string; readonly encoding?: "utf8" | "base64" };

async function write(root: Root, input: WriteInput & { maxWriteBytes: number }): Promise<Reply> {
  const bytes = bytesOf(input.content, input);
  await using place = await root.find(input.path, { createFolders: true });
  const { isNew } = await inTurn(place, () => writeFile(place, bytes));
  return reply(text(`Wrote ${bytes.length} bytes to ${input.path}`), {
    structured: { path: place.shown, bytes: bytes.length, created: isNew },
  });
}

function isBase64(content: string): boolean {
  return content.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(content);
}
