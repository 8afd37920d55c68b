import { constants, open } from "node:fs/promises";

/** Reads a file. Throws if it is something else, such as a folder, or too large. */
export async function readBoundedFile(file: string, { maxBytes }: { readonly maxBytes: number }): Promise<Buffer> {
  // Non-blocking, because opening a named pipe without a writer would wait forever.
  await using handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stat = await handle.stat();
  if (stat.isDirectory()) throw new Error("it is a folder. Pass the path of the file in it");
  if (!stat.isFile()) throw new Error("it is not a file");
  if (stat.size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
  return await handle.readFile();
}

/** Reads a file of UTF-8 text. */
export async function readTextFile(file: string, limits: { readonly maxBytes: number }): Promise<string> {
  return new TextDecoder("utf-8", { fatal: true }).decode(await readBoundedFile(file, limits));
}
