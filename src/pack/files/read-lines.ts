import { StringDecoder } from "node:string_decoder";
import { withFile } from "./read-file.ts";
import type { Place } from "./root.ts";

export interface LineRange {
  /** The first line, from 1. */
  readonly first: number;
  readonly count: number;
  /** Where to stop in any case. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

export interface Lines {
  /** The lines as they are, with their ends. */
  readonly text: string;
  readonly count: number;
  /** The line to go on from; nothing at the end of the file. */
  readonly next: number | undefined;
}

/** Some lines of a file that may be too large to be read whole. A line that does not fit is not begun. */
export function readLines(place: Place, { first, count, maxBytes, signal }: LineRange): Promise<Lines> {
  return withFile(place, async (handle) => {
    const decoder = new StringDecoder("utf8");
    const taken: string[] = [];
    let bytes = 0;
    let number = 1;
    let rest = "";
    const chunk = Buffer.allocUnsafe(chunkBytes);
    for (let position = 0; ;) {
      signal?.throwIfAborted();
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
      position += bytesRead;
      const pieces = (rest + (bytesRead > 0 ? decoder.write(chunk.subarray(0, bytesRead)) : decoder.end())).split("\n");
      rest = pieces.pop() ?? "";
      const lines = pieces.map((line) => `${line}\n`);
      if (bytesRead === 0 && rest !== "") lines.push(rest);
      for (const line of lines) {
        if (number >= first) {
          bytes += Buffer.byteLength(line);
          if (taken.length === count || bytes > maxBytes)
            return { text: taken.join(""), count: taken.length, next: number };
          taken.push(line);
        }
        number++;
      }
      if (bytesRead === 0) return { text: taken.join(""), count: taken.length, next: undefined };
      if (number < first) rest = rest.slice(-maxBytes);
      else if (rest.length > maxBytes) return { text: taken.join(""), count: taken.length, next: number };
    }
  });
}

const chunkBytes = 64 * 1024;
