import { BiplaneError, reply, text, tool } from "@biplane/core";
import type { Call, Reply, Tool } from "@biplane/core";
import { bytesContent } from "../shared/files/bytes-content.ts";
import { readRedacted, readFile } from "../shared/files/read-file.ts";
import { readLines } from "../shared/files/read-lines.ts";
import type { FileLocation, Root } from "../shared/files/root.ts";
import { decodeUtf8, isMostlyControl } from "../shared/files/decode-utf8.ts";
import { workspacePathField } from "./fields.ts";

export function workspaceReadTool(root: Root, { maxReadBytes }: { maxReadBytes: number }): Tool {
  return tool({
    name: "workspace_read",
    title: "Read a file",
    description:
      "Read a workspace file. Text is returned as is; images, audio and other binary files as base64. " +
      `Read a file of more than ${maxReadBytes} bytes in parts: pass offset and limit, then continue at next_offset.`,
    input: {
      type: "object",
      required: ["path"],
      properties: {
        path: workspacePathField,
        offset: { type: "integer", minimum: 0, description: "Where to start: a line (1-based) or a byte (0-based)" },
        limit: { type: "integer", minimum: 1, description: "Maximum number of lines or bytes to read" },
        unit: { enum: ["lines", "bytes"], default: "lines", description: "The unit of offset and limit" },
      },
    },
    output: {
      type: "object",
      required: ["path", "content", "encoding", "next_offset"],
      properties: {
        path: { type: "string" },
        content: { type: "string" },
        encoding: { enum: ["utf8", "base64"] },
        size: { type: "integer", description: "Size of the file in bytes; absent when reading lines" },
        next_offset: { type: ["integer", "null"], description: "Where to continue; null at the end of the file" },
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
  await using location = await root.find(request.path);
  if (request.offset === undefined && request.limit === undefined) return await readWhole(location, request);
  return await (request.unit === "bytes" ? readByteRange(location, request) : readLineRange(location, request));
}

async function readWhole(location: FileLocation, { maxReadBytes }: ReadRequest): Promise<Reply> {
  const bytes = await readFile(location, maxReadBytes);
  return replyOf(location, bytes, { size: bytes.length, next_offset: null });
}

async function readByteRange(location: FileLocation, request: ReadRequest): Promise<Reply> {
  const { offset = 0, limit, maxReadBytes, call } = request;
  const range = { position: offset, length: Math.min(limit ?? maxReadBytes, maxReadBytes) };
  const { bytes, size, end } = await readRedacted(location, range, (...part) => call.redact(...part));
  return replyOf(location, bytes, { size, next_offset: end < size ? end : null });
}

async function readLineRange(
  location: FileLocation,
  { offset = 1, limit, maxReadBytes, call }: ReadRequest,
): Promise<Reply> {
  const first = Math.max(1, offset);
  const lines = await readLines(location, {
    first,
    count: limit ?? Infinity,
    maxBytes: maxReadBytes,
    redact: (...part) => call.redact(...part),
    signal: call.signal,
  });
  if (lines.count === 0 && lines.next !== undefined) {
    throw new BiplaneError(
      "EXECUTION_ERROR",
      `Line ${first} of ${location.shown} is too long. Read the file by bytes.`,
    );
  }
  if (isMostlyControl(lines.text)) {
    throw new BiplaneError("EXECUTION_ERROR", `${location.shown} is not text. Read the file by bytes.`);
  }
  return reply(text(lines.text), {
    structured: { path: location.shown, content: lines.text, encoding: "utf8", next_offset: lines.next ?? null },
  });
}

function replyOf(location: FileLocation, bytes: Buffer, rest: { size: number; next_offset: number | null }): Reply {
  const content = decodeUtf8(bytes);
  return content === undefined || isMostlyControl(content)
    ? reply(bytesContent(bytes, location.shown), {
        structured: { path: location.shown, content: bytes.toString("base64"), encoding: "base64", ...rest },
      })
    : reply(text(content), { structured: { path: location.shown, content, encoding: "utf8", ...rest } });
}
