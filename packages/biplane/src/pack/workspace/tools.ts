import { BiplaneError } from "@biplane/core";
import type { Tool } from "@biplane/core";
import { callerOf, Turns } from "@biplane/core/internal";
import { integer, list, object, text } from "../../schema/builders.ts";
import { decodeUtf8 } from "../shared/files/decode-utf8.ts";
import { fileError } from "../shared/files/file-errors.ts";
import { glob } from "../shared/files/glob.ts";
import { withFolder } from "../shared/files/list-folder.ts";
import { moveFile } from "../shared/files/move-file.ts";
import { readFile } from "../shared/files/read-file.ts";
import { removeFile } from "../shared/files/remove-file.ts";
import { checkSize, replaceText } from "../shared/files/replace-text.ts";
import type { Root } from "../shared/files/root.ts";
import { searchText } from "../shared/files/search-text.ts";
import { walkTree } from "../shared/files/walk-tree.ts";
import type { TreeEntry } from "../shared/files/walk-tree.ts";
import { withFileLock, writeFile } from "../shared/files/write-file.ts";
import { allOptional, packTool, readsLocally, textReply } from "../shared/pack-tool.ts";
import type { WorkspaceSettings } from "./options.ts";
import { readPart } from "./read-part.ts";

export function workspaceTools(root: Root, { maxReadBytes, maxWriteBytes }: WorkspaceSettings): readonly Tool[] {
  return [
    packTool({
      ...readsLocally,
      name: "workspace_read",
      title: "Read a file",
      description:
        "Read a workspace file. Text is returned as is; images, audio and other binary files as base64. " +
        `Read a file of more than ${maxReadBytes} bytes in parts: pass offset and limit, then continue at next_offset.`,
      input: object(
        { path: pathField },
        {
          offset: { type: "integer", minimum: 0, description: "Where to start: a line (1-based) or a byte (0-based)" },
          limit: { type: "integer", minimum: 1, description: "Maximum number of lines or bytes to read" },
          unit: { enum: ["lines", "bytes"], default: "lines", description: "The unit of offset and limit" },
        },
      ),
      output: object(
        {
          path: text,
          content: text,
          encoding: { enum: ["utf8", "base64"] },
          next_offset: { type: ["integer", "null"], description: "Where to continue; null at the end of the file" },
        },
        { size: { type: "integer", description: "Size of the file in bytes; absent when reading lines" } },
      ),
      run: async ({ path, ...part }, call) => {
        await using location = await root.find(path);
        return await readPart(location, { ...part, maxReadBytes, call });
      },
    }),
    packTool({
      name: "workspace_write",
      title: "Write a file",
      description:
        "Write a whole workspace file, replacing its content. Creates missing folders. " +
        "To change a part of a file, use workspace_edit.",
      input: object(
        { path: pathField, content: { type: "string", description: "The content of the file" } },
        {
          encoding: {
            enum: ["utf8", "base64"],
            default: "utf8",
            description: "How content is encoded: text, or bytes in base64",
          },
        },
      ),
      output: object({
        path: text,
        bytes: integer,
        created: { type: "boolean", description: "True if the file is new" },
      }),
      idempotent: true,
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
      run: async ({ path, content, encoding }) => {
        const bytes = decodeContent(content, encoding);
        checkSize(bytes.length, maxWriteBytes);
        await using location = await root.find(path, { createFolders: true });
        const { isNew } = await withFileLock(location, () => writeFile(location, bytes));
        const structured = { path: location.shown, bytes: bytes.length, created: isNew };
        return textReply(`Wrote ${bytes.length} bytes to ${path}`, structured);
      },
    }),
    packTool({
      ...readsLocally,
      name: "workspace_list",
      title: "List a folder",
      description: "List a folder of the workspace, sorted by name. Folder names end with a slash.",
      input: allOptional({
        path: optionalPathField,
        recursive: { type: "boolean", default: false, description: "Include the content of subfolders" },
      }),
      output: object({
        path: text,
        entries: list(
          object({
            path: { type: "string", description: "Relative to the listed folder" },
            type: { enum: ["file", "folder", "link", "other"] },
          }),
        ),
        truncated: { type: "boolean", description: "True if there are more entries" },
      }),
      run: async ({ path = "", recursive }, { signal }) => {
        await using location = await root.find(path);
        const found: TreeEntry[] = [];
        const visit = (entry: TreeEntry) => void found.push(entry);
        const { isCut } = await withFolder(location, (folder) =>
          walkTree(root, folder, { maxEntries, signal, isFlat: !recursive, visit }),
        );
        const entries = found.map(({ names, type }) => ({ path: names.join("/"), type }));
        const lines = entries.map(({ path, type }) => `${path}${type === "folder" ? "/" : ""}`);
        if (isCut) lines.push(`… and more. Only the first ${maxEntries} entries are listed.`);
        return textReply(lines.join("\n"), { path: location.shown, entries, truncated: isCut });
      },
    }),
    packTool({
      name: "workspace_edit",
      title: "Edit a file",
      description:
        "Replace text in a workspace file. old_text must match exactly, and only once unless replace_all is set. " +
        "Include enough surrounding lines to make it unique.",
      input: object(
        {
          path: pathField,
          old_text: { type: "string", minLength: 1, description: "The exact text to replace" },
          new_text: { type: "string", description: "The replacement text" },
        },
        { replace_all: { type: "boolean", default: false, description: "Replace every occurrence" } },
      ),
      output: object({ path: text, replacements: integer, bytes: integer }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      run: async ({ path, old_text: from, new_text: to, replace_all: isEverywhere }, { principal }) => {
        await using location = await root.find(path);
        const { shown } = location;
        return await withFileLock(location, async () => {
          const before = decodeUtf8(await readFile(location, maxWriteBytes));
          if (before === undefined) throw fileError(shown, "is not text");
          const turns = new Turns(callerOf(principal));
          const replacement = { from, to, isEverywhere, shown, maxBytes: maxWriteBytes, turns };
          const { text: after, count } = await replaceText(before, replacement);
          const bytes = Buffer.from(after);
          await writeFile(location, bytes);
          return textReply(`Replaced ${count} ${count === 1 ? "occurrence" : "occurrences"} in ${path}`, {
            path: shown,
            replacements: count,
            bytes: bytes.length,
          });
        });
      },
    }),
    packTool({
      ...readsLocally,
      name: "workspace_search",
      title: "Search files",
      description:
        "Find lines that contain a literal text (no regular expressions) in the text files below a folder of the workspace.",
      input: object(
        { query: { type: "string", minLength: 1, maxLength: 1000, description: "The text to find" } },
        {
          path: optionalPathField,
          glob: { type: "string", description: "Only search matching files, such as *.ts or docs/**/*.{md,txt}" },
          case_sensitive: { type: "boolean", default: false },
          max_results: { type: "integer", minimum: 1, maximum: 1000, default: 100 },
        },
      ),
      output: object({
        matches: list(object({ path: text, line: integer, text })),
        truncated: { type: "boolean", description: "True if there may be more matches" },
        files_searched: integer,
      }),
      run: async ({ query, path = "", glob: pattern, case_sensitive, max_results }, call) => {
        const matches = pattern === undefined ? undefined : glob(pattern, { anywhere: true });
        await using location = await root.find(path);
        const found = await searchText(location, {
          query,
          isCaseSensitive: case_sensitive,
          maxResults: max_results,
          call,
          ...(matches && { matches }),
        });
        const shown = found.matches.map(({ names, ...match }) => ({
          path: [location.shown, ...names].join("/"),
          ...match,
        }));
        const lines = shown.map(({ path, line, text }) => `${path}:${line}: ${text}`);
        if (found.isCut) lines.push("… and possibly more. Narrow the search with path or glob.");
        const structured = { matches: shown, truncated: found.isCut, files_searched: found.filesSearched };
        return textReply(lines.join("\n") || `No matches in ${found.filesSearched} files.`, structured);
      },
    }),
    packTool({
      name: "workspace_move",
      title: "Move a file",
      description: "Move or rename a file or folder in the workspace. Never replaces an existing file.",
      input: object({ from: pathField, to: pathField }),
      output: object({ from: text, to: text }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      run: async (input) => {
        const destination = root.parse(input.to);
        await using from = await root.find(input.from, { keepLastLink: true });
        await using to = await root.find(destination, { keepLastLink: true, createFolders: from.stats !== undefined });
        await moveFile(from, to);
        return textReply(`Moved ${input.from} to ${input.to}`, { from: from.shown, to: to.shown });
      },
    }),
    packTool({
      name: "workspace_delete",
      title: "Delete a file",
      description:
        "Delete a file or an empty folder in the workspace; with recursive, a folder and everything in it. Cannot be undone.",
      input: object(
        { path: pathField },
        { recursive: { type: "boolean", default: false, description: "Delete a folder with everything in it" } },
      ),
      output: object({
        path: text,
        deleted: { type: "integer", description: "Number of deleted files and folders" },
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      run: async ({ path, recursive }, { signal }) => {
        await using location = await root.find(path, { keepLastLink: true });
        const deleted = await removeFile(location, { recursive, signal });
        return textReply(`Deleted ${path}`, { path: location.shown, deleted });
      },
    }),
  ];
}

const maxEntries = 5000;

const pathField = {
  type: "string",
  minLength: 1,
  description: "Path in the workspace: relative, or starting with /workspace/",
} as const;

const optionalPathField = {
  ...pathField,
  description: `${pathField.description} (default: the whole workspace)`,
} as const;

function decodeContent(content: string, encoding: "utf8" | "base64"): Buffer {
  if (encoding === "base64" && !(content.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(content))) {
    throw new BiplaneError(
      "INVALID_INPUT",
      "The content is not base64. Encode it as base64, or omit encoding for text.",
    );
  }
  return Buffer.from(content, encoding);
}
