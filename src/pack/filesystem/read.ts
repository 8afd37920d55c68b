import { BiplaneError, messageOf } from "../../errors.ts";
import { reply } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { bytesContent } from "../files/bytes-content.ts";
import { readFile } from "../files/read-file.ts";
import { readLines } from "../files/read-lines.ts";
import { answer, pathField, readOnly, textOutput } from "./fields.ts";
import type { Roots } from "./roots.ts";

export function readTools(roots: Roots, { maxReadBytes }: { maxReadBytes: number }): readonly Tool[] {
  const shared = { timeoutMs: 30_000, idempotent: true, annotations: readOnly } as const;
  return [
    tool({
      ...shared,
      name: "read_text_file",
      title: "Read a text file",
      description: "Read a file as text: all of it, its first lines (head) or its last lines (tail).",
      input: {
        type: "object",
        required: ["path"],
        properties: {
          path: pathField,
          head: { type: "integer", minimum: 1, description: "Only this many lines from the beginning" },
          tail: { type: "integer", minimum: 1, description: "Only this many lines from the end" },
        },
      },
      output: textOutput,
      run: async (input, call) => {
        const request = { ...(input as TextRequest), maxReadBytes, signal: call.signal };
        return answer(await readText(roots, request));
      },
    }),
    tool({
      ...shared,
      name: "read_media_file",
      title: "Read a media file",
      description: "Read a picture, a sound or any other file as bytes, with its media type.",
      input: { type: "object", required: ["path"], properties: { path: pathField } },
      output: {
        type: "object",
        required: ["content"],
        properties: { content: { type: "array", items: { type: "object" } } },
      },
      run: ({ path }) => readMedia(roots, { path: path as string, maxReadBytes }),
    }),
    tool({
      ...shared,
      name: "read_multiple_files",
      title: "Read several files",
      description: "Read several text files at once. A file that cannot be read does not keep the others back.",
      input: {
        type: "object",
        required: ["paths"],
        properties: { paths: { type: "array", minItems: 1, maxItems: 100, items: pathField } },
      },
      output: textOutput,
      run: async ({ paths }, { signal }) => {
        return answer(await readSeveral(roots, { paths: paths as string[], maxReadBytes, signal }));
      },
    }),
  ];
}

type TextRequest = { readonly path: string; readonly head?: number; readonly tail?: number };
type Bounds = { readonly maxReadBytes: number; readonly signal: AbortSignal };

async function readText(
  roots: Roots,
  { path, head, tail, maxReadBytes, signal }: TextRequest & Bounds,
): Promise<string> {
  if (head !== undefined && tail !== undefined) {
    throw new BiplaneError("INVALID_INPUT", "Give head or tail, not both");
  }
  await using place = await roots.find(path);
  if (head !== undefined) {
    const lines = await readLines(place, { first: 1, count: head, maxBytes: maxReadBytes, signal });
    return lines.text.replace(/\n$/, "");
  }
  const text = (await readFile(place, maxReadBytes)).toString("utf8");
  return tail === undefined ? text : text.split("\n").slice(-tail).join("\n");
}

async function readMedia(roots: Roots, { path, maxReadBytes }: { path: string; maxReadBytes: number }): Promise<Reply> {
  await using place = await roots.find(path);
  const content = bytesContent(await readFile(place, maxReadBytes), place.shown);
  return reply(content, { structured: { content: [content] } });
}

/** All files share the bound of one answer. */
async function readSeveral(
  roots: Roots,
  { paths, maxReadBytes, signal }: Bounds & { paths: string[] },
): Promise<string> {
  const parts: string[] = [];
  let left = maxReadBytes;
  for (const path of paths) {
    try {
      const text = await readText(roots, { path, maxReadBytes: left, signal });
      left -= Buffer.byteLength(text);
      parts.push(`${path}:\n${text}\n`);
    } catch (error) {
      signal.throwIfAborted();
      parts.push(`${path}: Error - ${messageOf(error)}`);
    }
  }
  return parts.join("\n---\n");
}
