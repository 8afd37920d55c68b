import { constants } from "node:fs";
import type { Stats } from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { naming, refuse } from "./file-fault.ts";
import type { Place } from "./root.ts";

/** The whole of a file, if it is a plain one and no larger than `maxBytes`. */
export function readFile(place: Place, maxBytes: number): Promise<Buffer> {
  return withFile(place, async (handle, { size }) => {
    if (size > maxBytes) throw tooLarge(place.shown, size, maxBytes);
    const bytes = await readUpTo(handle, { position: 0, length: maxBytes + 1 });
    if (bytes.length > maxBytes) throw tooLarge(place.shown, bytes.length, maxBytes);
    return bytes;
  });
}

/** A part of a file, and how large the file is. */
export function readBytes(
  place: Place,
  range: { position: number; length: number },
): Promise<{ bytes: Buffer; size: number }> {
  return withFile(place, async (handle, { size }) => ({ bytes: await readUpTo(handle, range), size }));
}

/** Opens a plain file without following a link, and makes sure that it is one. */
export function withFile<T>(place: Place, use: (handle: FileHandle, stats: Stats) => Promise<T>): Promise<T> {
  return naming(place.shown, "read", async () => {
    mustBePlain(place, place.stats);
    // A pipe put here since would block the opening for ever.
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    await using handle = await open(place.folder.at(place.name), flags);
    const stats = await handle.stat();
    mustBePlain(place, stats);
    await place.folder.confirm(place.name, stats, (name) => place.root.isAllowed(name));
    return await use(handle, stats);
  });
}

export function mustBePlain({ root, shown }: Place, stats: Stats | undefined): void {
  if (!stats) throw refuse(shown, "does not exist");
  if (stats.isDirectory()) throw refuse(shown, "is a folder");
  if (!stats.isFile()) throw refuse(shown, "is not a plain file");
  if (stats.nlink > 1 && !root.allowHardLinks) {
    throw refuse(shown, "has a second name elsewhere (a hard link), which may lie outside: copy it to use it");
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
  return refuse(shown, `has ${size} bytes, more than the ${maxBytes} that are read at once: read a part of it`);
}
