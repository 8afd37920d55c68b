import type { Descriptor } from "./descriptors.ts";
import { rootDescriptor } from "./descriptors.ts";
import { errno, WasiFault } from "./errno.ts";
import type { GuestMemory } from "./guest-memory.ts";
import type { ScratchFile, ScratchNode } from "./scratch-files.ts";
import type { GuestWorld, WasiFunction } from "./wasi.ts";

/** WASI functions on file descriptors. */
export function fileFunctions(world: GuestWorld): Record<string, WasiFunction> {
  const { descriptors, files } = world;
  return {
    fd_write: (fd: number, pieces: number, count: number, result: number) => {
      const memory = world.memory();
      let written = 0;
      if (fd === 0) {
        const message = Buffer.concat([...memory.pieces(pieces, count)]);
        world.send(message);
        written = message.length;
      } else {
        for (const piece of memory.pieces(pieces, count)) {
          if (fd === 1 || fd === 2) world.print(fd, piece);
          else writeFile(world, descriptors.file(fd, "write"), piece);
          written += piece.length;
        }
      }
      world.memory().writeU32(result, written);
    },
    fd_read: (fd: number, pieces: number, count: number, result: number) => {
      const memory = world.memory();
      let read = 0;
      for (const piece of memory.pieces(pieces, count)) {
        const found = fd <= 2 ? receive(world, fd, piece.length) : readFile(descriptors.file(fd, "read"), piece.length);
        piece.set(found);
        read += found.length;
        if (found.length < piece.length) break;
      }
      memory.writeU32(result, read);
    },
    fd_pread: (fd: number, pieces: number, count: number, offset: bigint, result: number) => {
      const { node } = descriptors.file(fd, "read");
      const cursor = { node, offset: toOffset(offset) };
      let read = 0;
      for (const piece of world.memory().pieces(pieces, count)) {
        const found = readFile(cursor, piece.length);
        piece.set(found);
        read += found.length;
      }
      world.memory().writeU32(result, read);
    },
    fd_pwrite: (fd: number, pieces: number, count: number, offset: bigint, result: number) => {
      const { node } = descriptors.file(fd, "write");
      const cursor = { node, offset: toOffset(offset), isAppending: false };
      let written = 0;
      for (const piece of world.memory().pieces(pieces, count)) {
        writeFile(world, cursor, piece);
        written += piece.length;
      }
      world.memory().writeU32(result, written);
    },
    fd_seek: (fd: number, offset: bigint, whence: number, result: number) => {
      if (fd <= 2) return errno.spipe;
      const descriptor = descriptors.get(fd);
      if (descriptor.node.kind === "folder") return errno.isdir;
      const from = [0, descriptor.offset, descriptor.node.size][whence];
      if (from === undefined) return errno.inval;
      descriptor.offset = toOffset(BigInt(from) + offset);
      world.memory().writeU64(result, BigInt(descriptor.offset));
    },
    fd_tell: (fd: number, result: number) => {
      if (fd <= 2) return errno.spipe;
      world.memory().writeU64(result, BigInt(descriptors.get(fd).offset));
    },
    fd_close: (fd: number) => {
      if (fd <= 2) return errno.notcapable;
      descriptors.close(fd);
    },
    fd_sync: (fd: number) => checkOpen(world, fd),
    fd_datasync: (fd: number) => checkOpen(world, fd),
    fd_advise: (fd: number) => checkOpen(world, fd),
    fd_fdstat_get: (fd: number, result: number) => {
      const memory = world.memory();
      const descriptor = fd <= 2 ? undefined : descriptors.get(fd);
      memory.slice(result, 24).fill(0);
      memory.writeU8(result, descriptor ? fileType(descriptor.node) : characterDevice);
      memory.writeU16(result + 2, descriptor?.isAppending ? appendFlag : 0);
      memory.writeU64(result + 8, allRights);
      memory.writeU64(result + 16, allRights);
    },
    fd_fdstat_set_flags: (fd: number, flags: number) => {
      if (fd > 2) descriptors.get(fd).isAppending = (flags & appendFlag) !== 0;
    },
    fd_filestat_get: (fd: number, result: number) => {
      if (fd <= 2) {
        world.memory().slice(result, 64).fill(0);
        world.memory().writeU8(result + 16, characterDevice);
      } else writeStat(world.memory(), result, descriptors.get(fd).node);
    },
    fd_filestat_set_size: (fd: number, size: bigint) => {
      files.resize(descriptors.file(fd, "write").node, toOffset(size));
    },
    fd_prestat_get: (fd: number, result: number) => {
      if (fd !== rootDescriptor) return errno.badf;
      world.memory().writeU32(result, 0);
      world.memory().writeU32(result + 4, rootName.length);
    },
    fd_prestat_dir_name: (fd: number, address: number, length: number) => {
      if (fd !== rootDescriptor) return errno.badf;
      if (length < rootName.length) return errno.nametoolong;
      world.memory().slice(address, rootName.length).set(Buffer.from(rootName));
    },
  };
}

/** Writes a node's `filestat`. */
export function writeStat(memory: GuestMemory, address: number, node: ScratchNode): void {
  const modifiedNs = BigInt(Math.trunc(node.modifiedMs)) * 1_000_000n;
  memory.slice(address, 64).fill(0);
  memory.writeU64(address + 8, BigInt(node.id));
  memory.writeU8(address + 16, fileType(node));
  memory.writeU64(address + 24, 1n);
  memory.writeU64(address + 32, BigInt(node.kind === "file" ? node.size : 0));
  for (const at of [40, 48, 56]) memory.writeU64(address + at, modifiedNs);
}

export function fileType(node: ScratchNode): number {
  return node.kind === "folder" ? 3 : 4;
}

export const appendFlag = 1;
const characterDevice = 2;
const allRights = 0x1fff_ffffn;
const rootName = "/";

function receive(world: GuestWorld, fd: number, maxBytes: number): Uint8Array {
  if (fd !== 0) throw new WasiFault(errno.badf);
  return world.receive(maxBytes);
}

function readFile(cursor: { node: ScratchFile; offset: number }, maxBytes: number): Uint8Array {
  const found = cursor.node.bytes.subarray(cursor.offset, Math.min(cursor.node.size, cursor.offset + maxBytes));
  cursor.offset += found.length;
  return found;
}

function writeFile(
  { files }: GuestWorld,
  cursor: Pick<Descriptor, "isAppending" | "offset"> & { node: ScratchFile },
  piece: Uint8Array,
): void {
  if (cursor.isAppending) cursor.offset = cursor.node.size;
  const end = cursor.offset + piece.length;
  if (end > cursor.node.size) files.resize(cursor.node, end);
  cursor.node.bytes.set(piece, cursor.offset);
  cursor.node.modifiedMs = Date.now();
  cursor.offset = end;
}

function toOffset(offset: bigint): number {
  if (offset < 0n || offset > BigInt(Number.MAX_SAFE_INTEGER)) throw new WasiFault(errno.inval);
  return Number(offset);
}

function checkOpen({ descriptors }: GuestWorld, fd: number): void {
  if (fd > 2) descriptors.get(fd);
}
