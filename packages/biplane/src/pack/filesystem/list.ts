import { lstat } from "node:fs/promises";
import type { Tool } from "@biplane/core";
import { object } from "../../schema/builders.ts";
import { fileError } from "../shared/files/file-errors.ts";
import { glob } from "../shared/files/glob.ts";
import type { PathMatcher } from "../shared/files/glob.ts";
import { readFolder, withFolder } from "../shared/files/list-folder.ts";
import { walkTree } from "../shared/files/walk-tree.ts";
import type { TreeEntry } from "../shared/files/walk-tree.ts";
import { packTool, readsLocally } from "../shared/pack-tool.ts";
import { contentOutput, contentReply, filesystemPathField, patternsField } from "./fields.ts";
import type { Roots } from "./roots.ts";

export function fileListTools(roots: Roots): readonly Tool[] {
  const shared = { ...readsLocally, output: contentOutput };
  const onePath = object({ path: filesystemPathField });
  return [
    packTool({
      ...shared,
      name: "list_directory",
      title: "List a directory",
      description: "List a directory: one line per entry, with [DIR] or [FILE] before its name.",
      input: onePath,
      run: async ({ path }) => contentReply(await listDirectory(roots, path)),
    }),
    packTool({
      ...shared,
      name: "list_directory_with_sizes",
      title: "List a directory with sizes",
      description: "List a directory with the size of each file, sorted by name or size, and totals.",
      input: object({ path: filesystemPathField }, { sortBy: { enum: ["name", "size"], default: "name" } }),
      run: async (input) => contentReply(await listSizes(roots, input)),
    }),
    packTool({
      ...shared,
      name: "directory_tree",
      title: "Directory tree",
      description: "Show everything below a directory as JSON: name, type, and the children of directories.",
      input: object({ path: filesystemPathField }, { excludePatterns: patternsField }),
      run: async (input, { signal }) => contentReply(await tree(roots, { ...input, signal })),
    }),
    packTool({
      ...shared,
      name: "search_files",
      title: "Search for files",
      description: "Find files and directories below a directory whose path matches a glob pattern, such as **/*.ts.",
      input: object(
        {
          path: filesystemPathField,
          pattern: { type: "string", minLength: 1, description: "Glob pattern, relative to path" },
        },
        { excludePatterns: patternsField },
      ),
      run: async (input, { signal }) => contentReply(await search(roots, { ...input, signal })),
    }),
    packTool({
      ...shared,
      name: "get_file_info",
      title: "File information",
      description: "Show the size, times, type and permissions of a file or directory.",
      input: onePath,
      run: async ({ path }) => contentReply(await fileInfo(roots, path)),
    }),
    packTool({
      ...shared,
      name: "list_allowed_directories",
      title: "List allowed directories",
      description: "List the directories that these tools can use, including everything below them.",
      run: () => contentReply(`Allowed directories:\n${roots.paths.join("\n")}`),
    }),
  ];
}

interface TreeRequest {
  readonly path: string;
  readonly excludePatterns: readonly string[];
  readonly signal: AbortSignal;
}

/** A file, or a directory with its children. */
interface TreeNode {
  readonly name: string;
  readonly type: "file" | "directory";
  readonly children?: TreeNode[];
}

const maxEntries = 10_000;
const more = `… and more. Only the first ${maxEntries} entries were read.`;

async function listDirectory(roots: Roots, path: string): Promise<string> {
  await using location = await roots.find(path);
  const { entries, isCut } = await withFolder(location, (folder) => readFolder(location.root, folder, maxEntries));
  const lines = entries.map(({ name, type }) => `${type === "folder" ? "[DIR]" : "[FILE]"} ${name}`);
  return [...lines, ...(isCut ? [more] : [])].join("\n");
}

async function listSizes(roots: Roots, request: { path: string; sortBy: "name" | "size" }): Promise<string> {
  await using location = await roots.find(request.path);
  return await withFolder(location, async (folder) => {
    const { entries } = await readFolder(location.root, folder, maxEntries);
    const rows: { name: string; isFolder: boolean; size: number }[] = [];
    for (const { name, type } of entries) {
      const stats = await lstat(folder.at(name)).catch(() => undefined);
      if (stats) rows.push({ name, isFolder: type === "folder", size: type === "folder" ? 0 : stats.size });
    }
    if (request.sortBy === "size") rows.sort((one, other) => other.size - one.size);
    const folders = rows.filter(({ isFolder }) => isFolder).length;
    return [
      ...rows.map(({ name, isFolder, size }) => (isFolder ? `[DIR] ${name}` : `[FILE] ${name.padEnd(30)} ${size} B`)),
      "",
      `Total: ${rows.length - folders} files, ${folders} directories`,
      `Combined size: ${rows.reduce((sum, { size }) => sum + size, 0)} B`,
    ].join("\n");
  });
}

async function tree(roots: Roots, { path, excludePatterns, signal }: TreeRequest): Promise<string> {
  const skip = excluding(excludePatterns);
  await using location = await roots.find(path);
  return await withFolder(location, async (folder) => {
    const top: TreeNode[] = [];
    // The child lists of the folders on the current path.
    const open = [top];
    const visit = ({ names, name, type }: TreeEntry) => {
      open.length = names.length;
      const children: TreeNode[] = [];
      const isFolder = type === "folder";
      open.at(-1)?.push(isFolder ? { name, type: "directory", children } : { name, type: "file" });
      if (isFolder) open.push(children);
    };
    await walkTree(location.root, folder, { maxEntries, signal, skip, visit });
    return JSON.stringify(top, null, 2);
  });
}

async function search(roots: Roots, request: TreeRequest & { pattern: string }): Promise<string> {
  const { path, pattern, excludePatterns, signal } = request;
  const [isMatch, skip] = [glob(pattern), excluding(excludePatterns)];
  await using location = await roots.find(path);
  return await withFolder(location, async (folder) => {
    const found: string[] = [];
    const visit = ({ names }: TreeEntry) => {
      if (isMatch(names)) found.push([location.shown, ...names].join("/"));
    };
    const { isCut } = await walkTree(location.root, folder, { maxEntries, signal, skip, visit });
    if (isCut) found.push(more);
    return found.join("\n") || "No matches found";
  });
}

async function fileInfo(roots: Roots, path: string): Promise<string> {
  await using location = await roots.find(path);
  const { stats } = location;
  if (!stats) throw fileError(location.shown, "does not exist");
  return [
    `size: ${stats.size}`,
    `created: ${stats.birthtime.toISOString()}`,
    `modified: ${stats.mtime.toISOString()}`,
    `accessed: ${stats.atime.toISOString()}`,
    `isDirectory: ${stats.isDirectory()}`,
    `isFile: ${stats.isFile()}`,
    `permissions: ${(stats.mode & 0o777).toString(8).padStart(3, "0")}`,
  ].join("\n");
}

/** A name without a wildcard is excluded in every folder. */
function excluding(patterns: readonly string[]): PathMatcher {
  const matchers = patterns.map((pattern) => glob(pattern, { anywhere: !pattern.includes("*") }));
  return (names) => matchers.some((matches) => matches(names));
}
