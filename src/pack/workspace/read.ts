import { BiplaneError } from "../../errors.ts";
import type { Call } from "../../tool/call.ts";
import { reply, text } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { bytesContent } from "../files/bytes-content.ts";
import { readBytes, readFile } from "../files/read-file.ts";
import { readLines } from "../files/read-lines.ts";
import type { Place, Root } from "../files/root.ts";
import { decodeText } from "../files/decode-text.ts";
import { pathField } from "./fields.ts";

export function readTool(root: Root, { maxReadBytes }: { maxReadBytes: number }): Tool {
  return tool({
    name: "workspace_read",
    title: "Read a file",
    description:
      "Read a file of the workspace. Text comes as it is; pictures, sound and other bytes come as base64. " +
      `A file of more than ${maxReadBytes} bytes is read in parts: give offset and limit, and go on from next_offset.`,
    input: {
      type: "object",
      required: ["path"],
      properties: {
        path: pathField,
        offset: { type: "integer", minimum: 0, description: "Where to begin: a line, from 1, or a byte, from 0" },
        limit: { type: "integer", minimum: 1, description: "How many lines or bytes to read at most" },
        unit: { enum: ["lines", "bytes"], default: "lines", description: "What offset and limit count" },
      },
    },
    output: {
      type: "object",
      required: ["path", "content", "encoding", "next_offset"],
      properties: {
        path: { type: "string" },
        content: { type: "string" },
        encoding: { enum: ["utf8", "base64"] },
        size: { type: "integer", description: "Bytes in the whole file, where it was read whole or by bytes" },
        next_offset: { type: ["integer", "null"], description: "Where to go on; null at the end of the file" },
      },
    },
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: (input, call) => read(root, { ...(input as ReadInput), maxReadBytes, call }),
  });
}

type ReadInput = {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly unit?: "lines" | "bytes";
};

type ReadRequest = ReadInput & { readonly maxReadBytes: number; readonly call: Call };

async function read(root: Root, request: ReadRequest): Promise<Reply> {
  await using place = await root.find(request.path);
  if (request.offset === undefined && request.limit === undefined) return await readWhole(place, request);
  return await (request.unit === "bytes" ? readByteRange(place, request) : readLineRange(place, request));
}

async function readWhole(place: Place, { maxReadBytes }: ReadRequest): Promise<Reply> {
  const bytes = await readFile(place, maxReadBytes);
  return replyOf(place, bytes, { size: bytes.length, next_offset: null });
}

async function readByteRange(place: Place, { offset = 0, limit, maxReadBytes }: ReadRequest): Promise<Reply> {
  const { bytes, size } = await readBytes(place, {
    position: offset,
    length: Math.min(limit ?? maxReadBytes, maxReadBytes),
  });
  const end = offset + bytes.length;
  return replyOf(place, bytes, { size, next_offset: end < size ? end : null });
}

async function readLineRange(place: Place, { offset = 1, limit, maxReadBytes, call }: ReadRequest): Promise<Reply> {
  const first = Math.max(1, offset);
  const lines = await readLines(place, {
    first,
    count: limit ?? Infinity,
    maxBytes: maxReadBytes,
    signal: call.signal,
  });
  if (lines.count === 0 && lines.next !== undefined) {
    throw new BiplaneError(
      "EXECUTION_ERROR",
      `Line ${first} of ${place.shown} is too long to be read: read it by bytes`,
    );
  }
  return reply(text(lines.text), {
    structured: { path: place.shown, content: lines.text, encoding: "utf8", next_offset: lines.next ?? null },
  });
}

function replyOf(place: Place, bytes: Buffer, rest: { size: number; next_offset: number | null }): Reply {
  const content = decodeText(bytes);
  return content === undefined
    ? reply(bytesContent(bytes, place.shown), {
        structured: { path: place.shown, content: bytes.toString("base64"), encoding: "base64", ...rest },
      })
    : reply(text(content), { structured: { path: place.shown, content, encoding: "utf8", ...rest } });
}
