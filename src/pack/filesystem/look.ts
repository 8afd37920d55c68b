import { lstat } from "node:fs/promises";
import { tool } from "../../tool/tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { refuse } from "../files/file-fault.ts";
import { glob } from "../files/glob.ts";
import type { PathMatcher } from "../files/glob.ts";
import { entriesOf, withFolder } from "../files/list-folder.ts";
import { walkTree } from "../files/walk-tree.ts";
import type { TreeEntry } from "../files/walk-tree.ts";
import { answer, pathField, patternsField, readOnly, textOutput } from "./fields.ts";
import type { Roots } from "./roots.ts";
import { growingTree } from "./tree.ts";

export function lookTools(roots: Roots): readonly Tool[] {
  const shared = { output: textOutput, timeoutMs: 30_000, idempotent: true, annotations: readOnly } as const;
  const onePath = { type: "object", required: ["path"], properties: { path: pathField } } as const;
  return [
    tool({
      ...shared,
      name: "list_directory",
      title: "List a directory",
      description: "List what is in a directory: a line for each entry, [DIR] or [FILE] before its name.",
      input: onePath,
      run: async ({ path }) => answer(await listDirectory(roots, path as string)),
    }),
    tool({
      ...shared,
      name: "list_directory_with_sizes",
      title: "List a directory with sizes",
      description: "List what is in a directory with the bytes of each file, sorted by name or size, and totals.",
      input: {
        type: "object",
        required: ["path"],
        properties: { path: pathField, sortBy: { enum: ["name", "size"], default: "name" } },
      },
      run: async (input) => answer(await listSizes(roots, input as { path: string; sortBy?: "name" | "size" })),
    }),
    tool({
      ...shared,
      name: "directory_tree",
      title: "Directory tree",
      description: "Everything below a directory as JSON: name, type, and the children of directories.",
      input: {
        type: "object",
        required: ["path"],
        properties: { path: pathField, excludePatterns: patternsField },
      },
      run: async (input, { signal }) => answer(await tree(roots, { ...(input as TreeRequest), signal })),
    }),
    tool({
      ...shared,
      name: "search_files",
      title: "Search for files",
      description: "Find files and directories below a directory whose path fits a glob pattern, such as **/*.ts.",
      input: {
        type: "object",
        required: ["path", "pattern"],
        properties: {
          path: pathField,
          pattern: { type: "string", minLength: 1, description: "Glob pattern, relative to path" },
          excludePatterns: patternsField,
        },
      },
      run: async (input, { signal }) => answer(await search(roots, { ...(input as SearchRequest), signal })),
    }),
    tool({
      ...shared,
      name: "get_file_info",
      title: "File information",
      description: "Size, times, type and permissions of a file or directory.",
      input: onePath,
      run: async ({ path }) => answer(await fileInfo(roots, path as string)),
    }),
    tool({
      ...shared,
      name: "list_allowed_directories",
      title: "List allowed directories",
      description: "The directories that these tools may use, with everything below them.",
      run: () => answer(`Allowed directories:\n${roots.paths.join("\n")}`),
    }),
  ];
}

type Stoppable = { readonly signal: AbortSignal };
type TreeRequest = { readonly path: string; readonly excludePatterns?: readonly string[] };
type SearchRequest = TreeRequest & { readonly pattern: string };

const mostEntries = 10_000;
const more = `… and more: only the first ${mostEntries} were looked at`;

async function listDirectory(roots: Roots, path: string): Promise<string> {
  await using place = await roots.find(path);
  const { entries, isCut } = await withFolder(place, (folder) => entriesOf(place.root, folder, mostEntries));
  const lines = entries.map(({ name, type }) => `${type === "folder" ? "[DIR]" : "[FILE]"} ${name}`);
  return [...lines, ...(isCut ? [more] : [])].join("\n");
}

async function listSizes(roots: Roots, request: { path: string; sortBy?: "name" | "size" }): Promise<string> {
  await using place = await roots.find(request.path);
  return await withFolder(place, async (folder) => {
    const { entries } = await entriesOf(place.root, folder, mostEntries);
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

async function tree(roots: Roots, { path, excludePatterns = [], signal }: TreeRequest & Stoppable): Promise<string> {
  const skip = excluding(excludePatterns);
  await using place = await roots.find(path);
  return await withFolder(place, async (folder) => {
    const grown = growingTree();
    const visit = (entry: TreeEntry) => grown.add(entry);
    await walkTree(place.root, folder, { maxEntries: mostEntries, signal, skip, visit });
    return JSON.stringify(grown.top, null, 2);
  });
}

async function search(roots: Roots, request: SearchRequest & Stoppable): Promise<string> {
  const { path, pattern, excludePatterns = [], signal } = request;
  const [isWanted, skip] = [glob(pattern), excluding(excludePatterns)];
  await using place = await roots.find(path);
  return await withFolder(place, async (folder) => {
    const found: string[] = [];
    const visit = ({ names }: TreeEntry) => {
      if (isWanted(names)) found.push([place.shown, ...names].join("/"));
    };
    const { isCut } = await walkTree(place.root, folder, { maxEntries: mostEntries, signal, skip, visit });
    if (isCut) found.push(more);
    return found.join("\n") || "No matches found";
  });
}

async function fileInfo(roots: Roots, path: string): Promise<string> {
  await using place = await roots.find(path);
  const { stats } = place;
  if (!stats) throw refuse(place.shown, "does not exist");
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

/** A name without a wildcard is left out wherever it is. */
function excluding(patterns: readonly string[]): PathMatcher {
  const matchers = patterns.map((pattern) => glob(pattern, { anywhere: !pattern.includes("*") }));
  return (names) => matchers.some((matches) => matches(names));
}
