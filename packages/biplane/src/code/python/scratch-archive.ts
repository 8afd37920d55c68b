import { sharedCopy } from "../memory-pages.ts";
import { rootDescriptor, type Descriptor, type Descriptors } from "./wasi/descriptors.ts";
import type { ScratchFile, ScratchFiles, ScratchFolder, ScratchNode } from "./wasi/scratch-files.ts";

/** Encodes scratch files and open descriptors as shared bytes: header length, JSON header, file contents. */
export function saveScratch(files: ScratchFiles, descriptors: Descriptors): Uint8Array {
  const nodes: ScratchNode[] = [files.root];
  const numbers = new Map<ScratchNode, number>([[files.root, 0]]);
  const number = (node: ScratchNode): number => {
    const known = numbers.get(node);
    if (known !== undefined) return known;
    numbers.set(node, nodes.push(node) - 1);
    return nodes.length - 1;
  };
  const described: DescribedNode[] = [];
  const describeAll = (): void => {
    for (let index = described.length; index < nodes.length; index++) {
      const node = nodes[index] ?? files.root;
      const { modifiedMs } = node;
      if (node.kind === "file") described.push({ size: node.size, modifiedMs });
      else described.push({ entries: [...node.entries].map(([name, child]) => [name, number(child)]), modifiedMs });
    }
  };
  describeAll();
  // A removed file is only reachable through its open descriptors.
  const open = [...descriptors.entries]
    .filter(([fd]) => fd !== rootDescriptor)
    .map(([fd, { node, offset, isAppending, canRead, canWrite }]) => {
      return { fd, node: number(node), offset, isAppending, canRead, canWrite };
    });
  describeAll();
  const header = Buffer.from(JSON.stringify({ nodes: described, open } satisfies Archive));
  const contents = nodes.map((node) => (node.kind === "file" ? node.bytes.subarray(0, node.size) : new Uint8Array(0)));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length);
  return sharedCopy(length, header, ...contents);
}

/** Restores saved files into an empty file system. The bytes are untrusted, so the limits apply. */
export function loadScratch(
  bytes: Uint8Array,
  { files, descriptors }: { files: ScratchFiles; descriptors: Descriptors },
): void {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerEnd = 4 + whole.readUInt32LE(0);
  const { nodes, open } = JSON.parse(whole.toString("utf8", 4, headerEnd)) as Archive;
  const made = nodes.map((node, index): ScratchNode => {
    if (index === 0) return files.root;
    return "entries" in node ? files.makeFolder() : files.makeFile();
  });
  const placed = new Set<number>();
  let at = headerEnd;
  nodes.forEach((description, index) => {
    const node = made[index] ?? files.root;
    if ("entries" in description) {
      for (const [name, child] of description.entries) {
        const target = made[child];
        // A child must come after its folder and have only one parent, which rules out cycles.
        if (!target || child <= index || placed.has(child)) throw new RangeError("The folder structure is invalid.");
        placed.add(child);
        (node as ScratchFolder).entries.set(name, target);
      }
    } else {
      const { size } = description;
      if (!Number.isInteger(size) || size < 0 || size > whole.length - at) throw new RangeError("A file is truncated.");
      files.resize(node as ScratchFile, size);
      (node as ScratchFile).bytes.set(whole.subarray(at, at + size));
      at += size;
    }
    node.modifiedMs = description.modifiedMs;
  });
  for (const { fd, node, ...rest } of open) {
    const target = made[node];
    if (!target || !Number.isInteger(fd) || fd <= rootDescriptor) throw new RangeError("An open file is invalid.");
    if (target.kind === "file" && !placed.has(node)) target.isRemoved = true;
    descriptors.open({ node: target, ...rest }, fd);
  }
}

interface Archive {
  readonly nodes: readonly DescribedNode[];
  readonly open: readonly OpenFile[];
}

type DescribedNode =
  | { readonly size: number; readonly modifiedMs: number }
  | { readonly entries: readonly (readonly [name: string, node: number])[]; readonly modifiedMs: number };

interface OpenFile extends Omit<Descriptor, "node"> {
  readonly fd: number;
  readonly node: number;
}
