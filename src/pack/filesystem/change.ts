import { lstat, mkdir } from "node:fs/promises";
import { BiplaneError } from "../../errors.ts";
import { tool } from "../../tool/tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { naming, refuse } from "../files/file-fault.ts";
import { moveFile } from "../files/move-file.ts";
import { readFile } from "../files/read-file.ts";
import { replaceText } from "../files/replace-text.ts";
import { decodeText } from "../files/decode-text.ts";
import { inTurn, writeFile } from "../files/write-file.ts";
import { answer, pathField, textOutput } from "./fields.ts";
import type { Roots } from "./roots.ts";
import { unifiedDiff } from "./unified-diff.ts";

export function changeTools(roots: Roots, { maxWriteBytes }: { maxWriteBytes: number }): readonly Tool[] {
  const shared = { output: textOutput, timeoutMs: 30_000 } as const;
  return [
    tool({
      ...shared,
      name: "write_file",
      title: "Write a file",
      description: "Write a whole file; what was there before is replaced. The folder it goes into must exist.",
      input: {
        type: "object",
        required: ["path", "content"],
        properties: { path: pathField, content: { type: "string" } },
      },
      idempotent: true,
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
      run: async (input) => answer(await write(roots, { ...(input as WriteRequest), maxWriteBytes })),
    }),
    tool({
      ...shared,
      name: "edit_file",
      title: "Edit a file",
      description:
        "Replace parts of a text file, one after the other. Each oldText must be there exactly once. " +
        "Answers with a diff; with dryRun nothing is written.",
      input: {
        type: "object",
        required: ["path", "edits"],
        properties: {
          path: pathField,
          edits: {
            type: "array",
            minItems: 1,
            maxItems: 100,
            items: {
              type: "object",
              required: ["oldText", "newText"],
              properties: {
                oldText: { type: "string", minLength: 1, description: "The text to replace, letter for letter" },
                newText: { type: "string", description: "What to put in its place" },
              },
            },
          },
          dryRun: { type: "boolean", default: false, description: "Only show what would change" },
        },
      },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      run: async (input) => answer(await edit(roots, { ...(input as EditRequest), maxWriteBytes })),
    }),
    tool({
      ...shared,
      name: "create_directory",
      title: "Create a directory",
      description: "Create a directory and those above it. One that exists already is left as it is.",
      input: { type: "object", required: ["path"], properties: { path: pathField } },
      idempotent: true,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
      run: async ({ path }) => answer(await createDirectory(roots, path as string)),
    }),
    tool({
      ...shared,
      name: "move_file",
      title: "Move a file",
      description: "Move or rename a file or directory. Fails where something is at the destination already.",
      input: {
        type: "object",
        required: ["source", "destination"],
        properties: { source: pathField, destination: pathField },
      },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      run: async (input) => answer(await move(roots, input as MoveRequest)),
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
  const bytes = within(content, maxWriteBytes);
  await using place = await roots.find(path);
  await inTurn(place, () => writeFile(place, bytes));
  return `Successfully wrote to ${path}`;
}

async function edit(roots: Roots, { path, edits, dryRun, maxWriteBytes }: EditRequest & Bound): Promise<string> {
  await using place = await roots.find(path);
  return await inTurn(place, async () => {
    const before = decodeText(await readFile(place, maxWriteBytes));
    if (before === undefined) throw refuse(place.shown, "is not text");
    let after = before;
    for (const { oldText: from, newText: to } of edits) {
      after = replaceText(after, { from, to, shown: place.shown }).text;
      within(after, maxWriteBytes);
    }
    if (!dryRun && after !== before) await writeFile(place, Buffer.from(after));
    return `\`\`\`diff\n${unifiedDiff(before, after, path)}\`\`\``;
  });
}

async function createDirectory(roots: Roots, path: string): Promise<string> {
  await using place = await roots.find(path, { createFolders: true });
  await naming(place.shown, "create", async () => {
    try {
      await mkdir(place.folder.at(place.name), 0o755);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const isThere = code === "EEXIST" && (await lstat(place.folder.at(place.name))).isDirectory();
      if (!isThere) throw error;
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

function within(content: string, maxWriteBytes: number): Buffer {
  const bytes = Buffer.from(content);
  if (bytes.length <= maxWriteBytes) return bytes;
  throw new BiplaneError("INVALID_INPUT", `The content has ${bytes.length} bytes; a file may have ${maxWriteBytes}`);
}
