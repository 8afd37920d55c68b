import { lstat, mkdir } from "node:fs/promises";
import { tool } from "@biplane/core";
import type { Tool } from "@biplane/core";
import { Turns } from "@biplane/core/internal";
import { withFileErrors, fileError } from "../shared/files/file-errors.ts";
import { moveFile } from "../shared/files/move-file.ts";
import { readFile } from "../shared/files/read-file.ts";
import { checkSize, replaceText } from "../shared/files/replace-text.ts";
import { decodeUtf8 } from "../shared/files/decode-utf8.ts";
import { withFileLock, writeFile } from "../shared/files/write-file.ts";
import { textReply, filesystemPathField, textOutput } from "./fields.ts";
import type { Roots } from "./roots.ts";
import { unifiedDiff } from "./unified-diff.ts";

export function fileWriteTools(roots: Roots, { maxWriteBytes }: { maxWriteBytes: number }): readonly Tool[] {
  const shared = { output: textOutput, timeoutMs: 30_000 } as const;
  return [
    tool({
      ...shared,
      name: "write_file",
      title: "Write a file",
      description: "Write a whole file, replacing its content. The parent folder must exist.",
      input: {
        type: "object",
        required: ["path", "content"],
        properties: { path: filesystemPathField, content: { type: "string" } },
      },
      idempotent: true,
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
      run: async (input) => textReply(await write(roots, { ...(input as WriteRequest), maxWriteBytes })),
    }),
    tool({
      ...shared,
      name: "edit_file",
      title: "Edit a file",
      description:
        "Replace parts of a text file, one after another. Each oldText must occur exactly once. " +
        "Returns a diff. With dryRun, nothing is written.",
      input: {
        type: "object",
        required: ["path", "edits"],
        properties: {
          path: filesystemPathField,
          edits: {
            type: "array",
            minItems: 1,
            maxItems: 100,
            items: {
              type: "object",
              required: ["oldText", "newText"],
              properties: {
                oldText: { type: "string", minLength: 1, description: "The exact text to replace" },
                newText: { type: "string", description: "The replacement text" },
              },
            },
          },
          dryRun: { type: "boolean", default: false, description: "Only show what would change" },
        },
      },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      run: async (input) => textReply(await edit(roots, { ...(input as EditRequest), maxWriteBytes })),
    }),
    tool({
      ...shared,
      name: "create_directory",
      title: "Create a directory",
      description: "Create a directory and its parents. Does nothing if it already exists.",
      input: { type: "object", required: ["path"], properties: { path: filesystemPathField } },
      idempotent: true,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
      run: async ({ path }) => textReply(await createDirectory(roots, path)),
    }),
    tool({
      ...shared,
      name: "move_file",
      title: "Move a file",
      description: "Move or rename a file or directory. Fails if the destination already exists.",
      input: {
        type: "object",
        required: ["source", "destination"],
        properties: { source: filesystemPathField, destination: filesystemPathField },
      },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      run: async (input) => textReply(await move(roots, input as MoveRequest)),
    }),
  ];
}

type WriteRequest = { readonly path: string; readonly content: string };
type EditRequest = {
  readonly path: string;
  readonly edits: readonly { readonly oldText: string; readonly newText: string }[];
  readonly dryRun?: boolean;
};
type MoveRequest = { readonly source: string; readonly destination: string };
type Bound = { readonly maxWriteBytes: number };

async function write(roots: Roots, { path, content, maxWriteBytes }: WriteRequest & Bound): Promise<string> {
  const bytes = Buffer.from(content);
  checkSize(bytes.length, maxWriteBytes);
  await using location = await roots.find(path);
  await withFileLock(location, () => writeFile(location, bytes));
  return `Successfully wrote to ${path}`;
}

async function edit(roots: Roots, { path, edits, dryRun, maxWriteBytes }: EditRequest & Bound): Promise<string> {
  await using location = await roots.find(path);
  return await withFileLock(location, async () => {
    const before = decodeUtf8(await readFile(location, maxWriteBytes));
    if (before === undefined) throw fileError(location.shown, "is not text");
    const turns = new Turns();
    let after = before;
    for (const { oldText: from, newText: to } of edits) {
      ({ text: after } = await replaceText(after, { from, to, turns, shown: location.shown, maxBytes: maxWriteBytes }));
    }
    if (!dryRun && after !== before) await writeFile(location, Buffer.from(after));
    return `\`\`\`diff\n${await unifiedDiff(before, after, { path, maxLength: maxDiffLength })}\`\`\``;
  });
}

const maxDiffLength = 50_000;

async function createDirectory(roots: Roots, path: string): Promise<string> {
  await using location = await roots.find(path, { createFolders: true });
  await withFileErrors(location.shown, "create", async () => {
    try {
      await mkdir(location.folder.at(location.name), 0o755);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const exists = code === "EEXIST" && (await lstat(location.folder.at(location.name))).isDirectory();
      if (!exists) throw error;
    }
  });
  return `Successfully created directory ${path}`;
}

async function move(roots: Roots, { source, destination }: MoveRequest): Promise<string> {
  await using from = await roots.find(source, { keepLastLink: true });
  await using to = await roots.find(destination, { keepLastLink: true });
  await moveFile(from, to);
  return `Successfully moved ${source} to ${destination}`;
}
