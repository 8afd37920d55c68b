import type { TreeEntry } from "../files/walk-tree.ts";

/** A file or directory and, of a directory, what is in it. */
export interface TreeNode {
  readonly name: string;
  readonly type: "file" | "directory";
  readonly children?: TreeNode[];
}

/** Puts the entries of a walk into each other as they come. */
export function growingTree(): { readonly top: TreeNode[]; add(entry: TreeEntry): void } {
  const top: TreeNode[] = [];
  // The children of the folders on the way to where the walk is.
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
