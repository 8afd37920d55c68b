import { BiplaneError, reply } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import type { Call, Tool } from "@biplane/core";
import { list, object, record } from "../../schema/builders.ts";
import { bytesContent } from "../shared/files/bytes-content.ts";
import { isMostlyControl } from "../shared/files/decode-utf8.ts";
import { fileError } from "../shared/files/file-errors.ts";
import type { FileLocation } from "../shared/files/root.ts";
import { readFile } from "../shared/files/read-file.ts";
import { readLines } from "../shared/files/read-lines.ts";
import { packTool, readsLocally } from "../shared/pack-tool.ts";
import { contentOutput, contentReply, filesystemPathField } from "./fields.ts";
import type { Roots } from "./roots.ts";

export function fileReadTools(roots: Roots, { maxReadBytes }: { maxReadBytes: number }): readonly Tool[] {
  return [
    packTool({
      ...readsLocally,
      name: "read_text_file",
      title: "Read a text file",
      description: "Read a file as text: all of it, its first lines (head) or its last lines (tail).",
      input: object(
        { path: filesystemPathField },
        {
          head: { type: "integer", minimum: 1, description: "Only this many lines from the beginning" },
          tail: { type: "integer", minimum: 1, description: "Only this many lines from the end" },
        },
      ),
      output: contentOutput,
      run: async (input, call) => contentReply(await readText(roots, { ...input, maxReadBytes, call })),
    }),
    packTool({
      ...readsLocally,
      name: "read_media_file",
      title: "Read a media file",
      description: "Read an image, audio or any other binary file, with its media type.",
      input: object({ path: filesystemPathField }),
      output: object({ content: list(record) }),
      run: async ({ path }) => {
        await using location = await roots.find(path);
        const content = bytesContent(await readFile(location, maxReadBytes), location.shown);
        return reply(content, { structured: { content: [content] } });
      },
    }),
    packTool({
      ...readsLocally,
      name: "read_multiple_files",
      title: "Read several files",
      description: "Read several text files at once. A file that cannot be read does not affect the others.",
      input: object({ paths: { type: "array", minItems: 1, maxItems: 100, items: filesystemPathField } }),
      output: contentOutput,
      run: async ({ paths }, call) => contentReply(await readSeveral(roots, paths, { maxReadBytes, call })),
    }),
  ];
}

interface Bounds {
  readonly maxReadBytes: number;
  readonly call: Call;
}

interface TextRequest extends Bounds {
  readonly path: string;
  readonly head?: number;
  readonly tail?: number;
}

async function readText(roots: Roots, request: TextRequest): Promise<string> {
  if (request.head !== undefined && request.tail !== undefined) {
    throw new BiplaneError("INVALID_INPUT", "Give head or tail, not both.");
  }
  await using location = await roots.find(request.path);
  const text = await partOf(location, request);
  if (isMostlyControl(text)) throw fileError(location.shown, "is not text. Use read_media_file");
  return text;
}

async function partOf(location: FileLocation, { head, tail, maxReadBytes, call }: TextRequest): Promise<string> {
  if (head !== undefined) {
    const lines = await readLines(location, { first: 1, count: head, maxBytes: maxReadBytes, call });
    return lines.text.replace(/\n$/, "");
  }
  const text = (await readFile(location, maxReadBytes)).toString("utf8");
  return tail === undefined ? text : call.redact(text).split("\n").slice(-tail).join("\n");
}

/** All files share the byte limit of one call. */
async function readSeveral(roots: Roots, paths: readonly string[], { maxReadBytes, call }: Bounds): Promise<string> {
  const parts: string[] = [];
  let left = maxReadBytes;
  for (const path of paths) {
    try {
      const text = await readText(roots, { path, maxReadBytes: left, call });
      left -= Buffer.byteLength(text);
      parts.push(`${path}:\n${text}\n`);
    } catch (error) {
      call.signal.throwIfAborted();
      parts.push(`${path}: Error - ${messageOf(error)}`);
    }
  }
  return parts.join("\n---\n");
}
