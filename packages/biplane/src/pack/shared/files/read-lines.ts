import type { Call } from "@biplane/core";
import { readRedacted, withFile } from "./read-file.ts";
import type { FileLocation } from "./root.ts";

export interface LineRange {
  /** The first line, 1-based. */
  readonly first: number;
  readonly count: number;
  /** Maximum bytes to return. */
  readonly maxBytes: number;
  readonly call: Pick<Call, "redact" | "signal">;
}

export interface Lines {
  /** The lines, including their line breaks, without secrets. */
  readonly text: string;
  readonly count: number;
  /** The next line to read. Undefined at the end of the file. */
  readonly next: number | undefined;
}

/** Reads a range of lines from a file of any size. Never returns a partial line. */
export async function readLines(location: FileLocation, range: LineRange): Promise<Lines> {
  const { position, length, ...lines } = await findLines(location, range);
  if (lines.count === 0) return { ...lines, text: "" };
  const { bytes } = await readRedacted(location, { position, length }, range.call);
  return { ...lines, text: bytes.toString() };
}

interface LinePosition extends Omit<Lines, "text"> {
  /** In bytes. */
  readonly position: number;
  readonly length: number;
}

function findLines(location: FileLocation, { first, count, maxBytes, call }: LineRange): Promise<LinePosition> {
  return withFile(location, async (handle) => {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    /** The line that is being read, and where it begins. */
    let number = 1;
    let begin = 0;
    /** The lines found so far, from the first that is wanted. */
    let position = 0;
    let end = 0;
    let taken = 0;
    const found = (next?: number) => ({ position, length: end - position, count: taken, next });
    for (let read = 0; ;) {
      call.signal.throwIfAborted();
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, read);
      const part = chunk.subarray(0, bytesRead);
      for (const lineEnd of lineEnds(part, { from: read, isLast: bytesRead === 0 && begin < read })) {
        if (number >= first) {
          if (taken === count || lineEnd - position > maxBytes) return found(number);
          taken++;
          end = lineEnd;
        }
        begin = lineEnd;
        if (++number <= first) position = end = begin;
      }
      if (bytesRead === 0) return found();
      read += bytesRead;
      if (number >= first && read - position > maxBytes) return found(number);
    }
  });
}

/** Where lines end, as positions in the file. The last line needs no line break. */
function* lineEnds(part: Buffer, { from, isLast }: { from: number; isLast: boolean }): Generator<number> {
  for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) yield from + at + 1;
  if (isLast) yield from;
}

const chunkBytes = 64 * 1024;
