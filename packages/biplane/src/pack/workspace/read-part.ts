import { BiplaneError, reply } from "@biplane/core";
import type { Call, Reply } from "@biplane/core";
import { bytesContent } from "../shared/files/bytes-content.ts";
import { decodeUtf8, isMostlyControl } from "../shared/files/decode-utf8.ts";
import { readFile, readRedacted } from "../shared/files/read-file.ts";
import { readLines } from "../shared/files/read-lines.ts";
import type { FileLocation } from "../shared/files/root.ts";
import { textReply } from "../shared/pack-tool.ts";

export interface FilePart {
  readonly offset?: number;
  readonly limit?: number;
  readonly unit: "lines" | "bytes";
  readonly maxReadBytes: number;
  readonly call: Call;
}

/** Reads a range of lines or bytes, or the whole file if none is given. */
export async function readPart(location: FileLocation, part: FilePart): Promise<Reply> {
  if (part.offset !== undefined || part.limit !== undefined)
    return part.unit === "bytes" ? readByteRange(location, part) : readLineRange(location, part);
  const bytes = await readFile(location, part.maxReadBytes);
  return replyOf(location, bytes, { size: bytes.length, next_offset: null });
}

async function readByteRange(location: FileLocation, part: FilePart): Promise<Reply> {
  const { offset = 0, limit, maxReadBytes, call } = part;
  const range = { position: offset, length: Math.min(limit ?? maxReadBytes, maxReadBytes) };
  const { bytes, size, end } = await readRedacted(location, range, call);
  return replyOf(location, bytes, { size, next_offset: end < size ? end : null });
}

async function readLineRange(location: FileLocation, part: FilePart): Promise<Reply> {
  const { offset = 1, limit, maxReadBytes, call } = part;
  const first = Math.max(1, offset);
  const lines = await readLines(location, { first, count: limit ?? Infinity, maxBytes: maxReadBytes, call });
  const path = location.shown;
  if (lines.count === 0 && lines.next !== undefined)
    throw new BiplaneError("EXECUTION_ERROR", `Line ${first} of ${path} is too long. Read the file by bytes.`);
  if (isMostlyControl(lines.text))
    throw new BiplaneError("EXECUTION_ERROR", `${path} is not text. Read the file by bytes.`);
  return textReply(lines.text, { path, content: lines.text, encoding: "utf8", next_offset: lines.next ?? null });
}

function replyOf(
  { shown: path }: FileLocation,
  bytes: Buffer,
  rest: { size: number; next_offset: number | null },
): Reply {
  const content = decodeUtf8(bytes);
  if (content !== undefined && !isMostlyControl(content))
    return textReply(content, { path, content, encoding: "utf8", ...rest });
  return reply(bytesContent(bytes, path), {
    structured: { path, content: bytes.toString("base64"), encoding: "base64", ...rest },
  });
}
