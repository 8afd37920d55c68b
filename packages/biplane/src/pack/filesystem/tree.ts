import type { TreeEntry } from "../shared/files/walk-tree.ts";

/** A file, or a directory with its children. */
export interface TreeNode {
  readonly name: string;
  readonly type: "file" | "directory";
  readonly children?: TreeNode[];
}

/** Builds a tree from the entries of a walk. */
export function treeBuilder(): { readonly top: TreeNode[]; add(entry: TreeEntry): void } {
  const top: TreeNode[] = [];
  // The child lists of the folders on the current path.
  const open: TreeNode[][] = [top];
  return {
    top,
    add({ names, name, type }) {
      open.length = names.length;
      const children: TreeNode[] = [];
      const isFolder = type === "folder";
      open.at(-1)?.push(isFolder ? { name, type: "directory", children } : { name, type: "file" });
      if (isFolder) open.push(children);
    },
  };
}
