import { lstat, mkdir } from "node:fs/promises";
import type { Tool } from "@biplane/core";
import { callerOf, Turns } from "@biplane/core/internal";
import { object, text } from "../../schema/builders.ts";
import { withFileErrors, fileError } from "../shared/files/file-errors.ts";
import { moveFile } from "../shared/files/move-file.ts";
import { readFile } from "../shared/files/read-file.ts";
import type { FileLocation } from "../shared/files/root.ts";
import { checkSize, replaceText } from "../shared/files/replace-text.ts";
import { decodeUtf8 } from "../shared/files/decode-utf8.ts";
import { withFileLock, writeFile } from "../shared/files/write-file.ts";
import { packTool } from "../shared/pack-tool.ts";
import { contentOutput, contentReply, filesystemPathField } from "./fields.ts";
import type { Roots } from "./roots.ts";
import { unifiedDiff } from "./unified-diff.ts";

export function fileWriteTools(roots: Roots, { maxWriteBytes }: { maxWriteBytes: number }): readonly Tool[] {
  return [
    packTool({
      name: "write_file",
      title: "Write a file",
      description: "Write a whole file, replacing its content. The parent folder must exist.",
      input: object({ path: filesystemPathField, content: text }),
      output: contentOutput,
      idempotent: true,
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
      run: async ({ path, content }) => {
        const bytes = Buffer.from(content);
        checkSize(bytes.length, maxWriteBytes);
        await using location = await roots.find(path);
        await withFileLock(location, () => writeFile(location, bytes));
        return contentReply(`Successfully wrote to ${path}`);
      },
    }),
    packTool({
      name: "edit_file",
      title: "Edit a file",
      description:
        "Replace parts of a text file, one after another. Each oldText must occur exactly once. " +
        "Returns a diff. With dryRun, nothing is written.",
      input: object(
        { path: filesystemPathField, edits: { type: "array", minItems: 1, maxItems: 100, items: edit } },
        { dryRun: { type: "boolean", default: false, description: "Only show what would change" } },
      ),
      output: contentOutput,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      run: async ({ path, edits, dryRun }, call) => {
        await using location = await roots.find(path);
        return await withFileLock(location, async () => {
          const before = decodeUtf8(await readFile(location, maxWriteBytes));
          if (before === undefined) throw fileError(location.shown, "is not text");
          const turns = new Turns(callerOf(call.principal));
          const shared = { turns, shown: location.shown, maxBytes: maxWriteBytes };
          let after = before;
          for (const { oldText: from, newText: to } of edits)
            ({ text: after } = await replaceText(after, { from, to, ...shared }));
          if (!dryRun && after !== before) await writeFile(location, Buffer.from(after));
          // The diff is cut, and half a secret would not be found in it.
          const [old, now] = [call.redact(before), call.redact(after)];
          const diff = await unifiedDiff(old, now, { path, turns, maxLength: maxDiffLength });
          return contentReply(`\`\`\`diff\n${diff}\`\`\``);
        });
      },
    }),
    packTool({
      name: "create_directory",
      title: "Create a directory",
      description: "Create a directory and its parents. Does nothing if it already exists.",
      input: object({ path: filesystemPathField }),
      output: contentOutput,
      idempotent: true,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
      run: async ({ path }) => {
        await using location = await roots.find(path, { createFolders: true });
        await withFileErrors(location.shown, "create", () => makeFolder(location));
        return contentReply(`Successfully created directory ${path}`);
      },
    }),
    packTool({
      name: "move_file",
      title: "Move a file",
      description: "Move or rename a file or directory. Fails if the destination already exists.",
      input: object({ source: filesystemPathField, destination: filesystemPathField }),
      output: contentOutput,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      run: async ({ source, destination }) => {
        await using from = await roots.find(source, { keepLastLink: true });
        await using to = await roots.find(destination, { keepLastLink: true });
        await moveFile(from, to);
        return contentReply(`Successfully moved ${source} to ${destination}`);
      },
    }),
  ];
}

const edit = object({
  oldText: { type: "string", minLength: 1, description: "The exact text to replace" },
  newText: { type: "string", description: "The replacement text" },
});

const maxDiffLength = 50_000;

/** Creates the folder, unless it exists. */
async function makeFolder({ folder, name }: FileLocation): Promise<void> {
  try {
    await mkdir(folder.at(name), 0o755);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const exists = code === "EEXIST" && (await lstat(folder.at(name))).isDirectory();
    if (!exists) throw error;
  }
}
