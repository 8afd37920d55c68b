import { errno, WasiFault } from "./errno.ts";

export interface ScratchLimits {
  readonly bytes: number;
  readonly nodes: number;
}

export type ScratchNode = ScratchFile | ScratchFolder;

export interface ScratchFolder {
  readonly kind: "folder";
  readonly id: number;
  readonly entries: Map<string, ScratchNode>;
  modifiedMs: number;
}

/** `bytes` can be longer than the file. Only `size` bytes are its content. */
export interface ScratchFile {
  readonly kind: "file";
  readonly id: number;
  bytes: Uint8Array;
  size: number;
  modifiedMs: number;
  /** A removed file exists until its last descriptor is closed. */
  isRemoved: boolean;
  openCount: number;
}

/** An in-memory file system, the only one a guest can reach. */
export class ScratchFiles {
  readonly root: ScratchFolder;
  readonly #limits: ScratchLimits;
  #nextId = 1;
  #bytes = 0;
  #nodes = 0;

  constructor(limits: ScratchLimits) {
    this.#limits = limits;
    this.root = this.makeFolder();
  }

  makeFolder(): ScratchFolder {
    this.#count();
    return { kind: "folder", id: this.#nextId++, entries: new Map(), modifiedMs: Date.now() };
  }

  makeFile(): ScratchFile {
    this.#count();
    return {
      kind: "file",
      id: this.#nextId++,
      bytes: new Uint8Array(0),
      size: 0,
      modifiedMs: Date.now(),
      isRemoved: false,
      openCount: 0,
    };
  }

  /** The node at a path below a folder. A path cannot lead above the folder. */
  find(from: ScratchFolder, path: string): ScratchNode | undefined {
    let node: ScratchNode = from;
    for (const name of split(path)) {
      if (node.kind !== "folder") throw new WasiFault(errno.notdir);
      const next: ScratchNode | undefined = node.entries.get(name);
      if (!next) return undefined;
      node = next;
    }
    return node;
  }

  /** The parent folder and the last name of a path. */
  locate(from: ScratchFolder, path: string): { folder: ScratchFolder; name: string } {
    const names = split(path);
    const name = names.pop();
    if (name === undefined) throw new WasiFault(errno.exist);
    const folder = this.find(from, names.join("/"));
    if (!folder) throw new WasiFault(errno.noent);
    if (folder.kind !== "folder") throw new WasiFault(errno.notdir);
    return { folder, name };
  }

  add(location: { folder: ScratchFolder; name: string }, node: ScratchNode): void {
    location.folder.entries.set(location.name, node);
    location.folder.modifiedMs = Date.now();
  }

  remove({ folder, name }: { folder: ScratchFolder; name: string }, kind: ScratchNode["kind"]): void {
    const node = folder.entries.get(name);
    if (!node) throw new WasiFault(errno.noent);
    if (node.kind !== kind) throw new WasiFault(kind === "file" ? errno.isdir : errno.notdir);
    if (node.kind === "folder" && node.entries.size > 0) throw new WasiFault(errno.notempty);
    folder.entries.delete(name);
    folder.modifiedMs = Date.now();
    if (node.kind === "folder") this.#nodes--;
    else {
      node.isRemoved = true;
      this.release(node);
    }
  }

  /** Frees a removed file once no descriptor has it open. */
  release(file: ScratchFile): void {
    if (!file.isRemoved || file.openCount > 0) return;
    this.#nodes--;
    this.resize(file, 0);
  }

  resize(file: ScratchFile, size: number): void {
    if (!(size >= 0) || size > this.#limits.bytes) throw new WasiFault(errno.fbig);
    if (size > file.bytes.length) this.#grow(file, size);
    else if (size === 0) this.#replace(file, new Uint8Array(0));
    if (size < file.size) file.bytes.fill(0, size, file.size);
    file.size = size;
    file.modifiedMs = Date.now();
  }

  #grow(file: ScratchFile, size: number): void {
    const available = this.#limits.bytes - this.#bytes + file.bytes.length;
    if (size > available) throw new WasiFault(errno.nospc);
    const bytes = new Uint8Array(Math.min(available, Math.max(size, file.bytes.length * 2)));
    bytes.set(file.bytes.subarray(0, file.size));
    this.#replace(file, bytes);
  }

  #replace(file: ScratchFile, bytes: Uint8Array): void {
    this.#bytes += bytes.length - file.bytes.length;
    file.bytes = bytes;
  }

  #count(): void {
    if (this.#nodes >= this.#limits.nodes) throw new WasiFault(errno.nospc);
    this.#nodes++;
  }
}

function split(path: string): string[] {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      if (names.pop() === undefined) throw new WasiFault(errno.notcapable);
    } else if (name.length > 255 || name.includes("\0")) {
      throw new WasiFault(errno.nametoolong);
    } else names.push(name);
  }
  if (names.length > deepestPath) throw new WasiFault(errno.nametoolong);
  return names;
}

const deepestPath = 64;
