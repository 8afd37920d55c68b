import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { BiplaneError } from "@biplane/core";
import { rowError } from "./row-error.ts";

/** Limit for a line of a JSONL file and a record of a CSV file. */
export const maxRecordLength = 64 * 1024 * 1024;

/** Reads a UTF-8 file in pieces. A file whose name ends with `.gz` is decompressed. */
export async function* textOf(file: string): AsyncGenerator<string> {
  const source = createReadStream(file);
  // The reader gets the error of either stream; the callback only keeps it from being thrown.
  const bytes = file.endsWith(".gz") ? pipeline(source, createGunzip(), () => undefined) : source;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      throw new BiplaneError("INVALID_INPUT", "The text is not UTF-8.", { cause: error });
    }
  };
  for await (const chunk of bytes) yield decode(chunk as Uint8Array);
  yield decode();
}

/** The lines of a text, without their ends, numbered from 1. */
export async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<{ line: number; content: string }> {
  let rest = "";
  let line = 0;
  for await (const piece of text) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const content of lines) yield { line: ++line, content };
    if (rest.length > maxRecordLength) throw recordTooLong(line + 1);
  }
  if (rest !== "") yield { line: line + 1, content: rest };
}

export function recordTooLong(line: number): BiplaneError {
  return rowError(`It is longer than ${maxRecordLength} characters.`, { line });
}
