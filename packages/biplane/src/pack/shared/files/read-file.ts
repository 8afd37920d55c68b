import { constants } from "node:fs";
import type { Stats } from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { withFileErrors, fileError } from "./file-errors.ts";
import { secretMargin } from "../shorten-text.ts";
import type { Redacting } from "../shorten-text.ts";
import type { FileLocation } from "./root.ts";

/** Reads a whole regular file of at most `maxBytes`. */
export function readFile(location: FileLocation, maxBytes: number): Promise<Buffer> {
  return withFile(location, async (handle, { size }) => {
    if (size > maxBytes) throw tooLarge(location.shown, size, maxBytes);
    const bytes = await readUpTo(handle, { position: 0, length: maxBytes + 1 });
    if (bytes.length > maxBytes) throw tooLarge(location.shown, bytes.length, maxBytes);
    return bytes;
  });
}

/**
 * Reads a part of a file without secrets. They are found only as a whole, so the part is redacted together with what
 * surrounds it.
 */
export function readRedacted(
  location: FileLocation,
  { position, length }: { position: number; length: number },
  call: Redacting,
): Promise<{ bytes: Buffer; size: number; end: number }> {
  return withFile(location, async (handle, { size }) => {
    const first = Math.max(0, position - secretMargin);
    const around = await readUpTo(handle, { position: first, length: position - first + length + secretMargin });
    const end = Math.min(position + length, first + around.length);
    const range = { start: position - first, end: Math.max(position, end) - first };
    return { bytes: Buffer.from(call.redact(around.toString("latin1"), range), "latin1"), size, end };
  });
}

/** Opens a regular file without following a symbolic link. */
export function withFile<T>(location: FileLocation, use: (handle: FileHandle, stats: Stats) => Promise<T>): Promise<T> {
  return withFileErrors(location.shown, "read", async () => {
    requireRegularFile(location, location.stats);
    // O_NONBLOCK: opening a pipe that replaced the file would block forever.
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    await using handle = await open(location.folder.at(location.name), flags);
    const stats = await handle.stat();
    requireRegularFile(location, stats);
    await location.folder.confirm(location.name, stats, (name) => location.root.isAllowed(name));
    return await use(handle, stats);
  });
}

export function requireRegularFile({ root, shown }: FileLocation, stats: Stats | undefined): void {
  if (!stats) throw fileError(shown, "does not exist");
  if (stats.isDirectory()) throw fileError(shown, "is a folder");
  if (!stats.isFile()) throw fileError(shown, "is not a regular file");
  if (stats.nlink > 1 && !root.allowHardLinks) {
    throw fileError(shown, "is a hard link, so its content may lie outside. Copy it to use it");
  }
}

async function readUpTo(
  handle: FileHandle,
  { position, length }: { position: number; length: number },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total < length) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, length - total));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position + total);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    total += bytesRead;
  }
  return Buffer.concat(chunks);
}

const chunkBytes = 256 * 1024;

function tooLarge(shown: string, size: number, maxBytes: number): Error {
  return fileError(shown, `has ${size} bytes, more than the limit of ${maxBytes} for one read. Read it in parts`);
}
