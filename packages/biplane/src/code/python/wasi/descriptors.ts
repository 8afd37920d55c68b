import { errno, WasiFault } from "./errno.ts";
import type { ScratchFile, ScratchFiles, ScratchNode } from "./scratch-files.ts";

export interface Descriptor {
  readonly node: ScratchNode;
  offset: number;
  isAppending: boolean;
  readonly canRead: boolean;
  readonly canWrite: boolean;
}

/** The guest's file descriptors. 0 to 2 are the standard streams, 3 is the root of the scratch files. */
export class Descriptors {
  readonly #files: ScratchFiles;
  readonly #open = new Map<number, Descriptor>();

  constructor(files: ScratchFiles) {
    this.#files = files;
    this.#open.set(rootDescriptor, {
      node: files.root,
      offset: 0,
      isAppending: false,
      canRead: true,
      canWrite: false,
    });
  }

  get entries(): IterableIterator<[number, Descriptor]> {
    return this.#open.entries();
  }

  open(descriptor: Descriptor, number = this.#free()): number {
    if (this.#open.size > maxOpen) throw new WasiFault(errno.mfile);
    this.#open.set(number, descriptor);
    if (descriptor.node.kind === "file") descriptor.node.openCount++;
    return number;
  }

  get(number: number): Descriptor {
    const descriptor = this.#open.get(number);
    if (!descriptor) throw new WasiFault(errno.badf);
    return descriptor;
  }

  file(number: number, use: "read" | "write"): Descriptor & { node: ScratchFile } {
    const descriptor = this.get(number);
    if (descriptor.node.kind === "folder") throw new WasiFault(errno.isdir);
    if (use === "read" ? !descriptor.canRead : !descriptor.canWrite) throw new WasiFault(errno.badf);
    return descriptor as Descriptor & { node: ScratchFile };
  }

  close(number: number): void {
    if (number === rootDescriptor) throw new WasiFault(errno.notcapable);
    const { node } = this.get(number);
    this.#open.delete(number);
    if (node.kind === "folder") return;
    node.openCount--;
    this.#files.release(node);
  }

  #free(): number {
    let number = rootDescriptor + 1;
    while (this.#open.has(number)) number++;
    return number;
  }
}

export const rootDescriptor = 3;
const maxOpen = 64;
