import { errno, WasiFault } from "./errno.ts";
import { appendFlag, fileType, writeStat } from "./file-functions.ts";
import type { ScratchFile, ScratchFolder, ScratchNode } from "./scratch-files.ts";
import type { GuestWorld, WasiFunction } from "./wasi.ts";

/** WASI functions on paths. Links are not supported. */
export function pathFunctions(world: GuestWorld): Record<string, WasiFunction> {
  const { descriptors, files } = world;
  const resolve = (fd: number, address: number, length: number): { folder: ScratchFolder; path: string } => {
    const { node } = descriptors.get(fd);
    if (node.kind !== "folder") throw new WasiFault(errno.notdir);
    if (length >>> 0 > maxPathLength) throw new WasiFault(errno.nametoolong);
    return { folder: node, path: world.memory().text(address, length) };
  };
  const locate = (fd: number, address: number, length: number) => {
    const { folder, path } = resolve(fd, address, length);
    return files.locate(folder, path);
  };
  return {
    path_open: (
      fd: number,
      _lookup: number,
      address: number,
      length: number,
      openFlags: number,
      rights: bigint,
      _inheriting: bigint,
      flags: number,
      result: number,
    ) => {
      const { folder, path } = resolve(fd, address, length);
      const canWrite = (rights & writeRight) !== 0n;
      const node = openNode(world, { folder, path, openFlags, canWrite });
      const canRead = (rights & readRight) !== 0n || node.kind === "folder";
      const isAppending = (flags & appendFlag) !== 0;
      world.memory().writeU32(result, descriptors.open({ node, offset: 0, isAppending, canRead, canWrite }));
    },
    path_filestat_get: (fd: number, _flags: number, address: number, length: number, result: number) => {
      const { folder, path } = resolve(fd, address, length);
      const node = files.find(folder, path);
      if (!node) return errno.noent;
      writeStat(world.memory(), result, node);
    },
    path_filestat_set_times: (fd: number, _flags: number, address: number, length: number) => {
      const { folder, path } = resolve(fd, address, length);
      return files.find(folder, path) ? undefined : errno.noent;
    },
    path_create_directory: (fd: number, address: number, length: number) => {
      const location = locate(fd, address, length);
      if (location.folder.entries.has(location.name)) return errno.exist;
      files.add(location, files.makeFolder());
    },
    path_unlink_file: (fd: number, address: number, length: number) => {
      files.remove(locate(fd, address, length), "file");
    },
    path_remove_directory: (fd: number, address: number, length: number) => {
      files.remove(locate(fd, address, length), "folder");
    },
    path_rename: (
      fd: number,
      address: number,
      length: number,
      newFd: number,
      newAddress: number,
      newLength: number,
    ) => {
      rename(world, locate(fd, address, length), locate(newFd, newAddress, newLength));
    },
    path_readlink: () => errno.inval,
    path_symlink: () => errno.perm,
    path_link: () => errno.perm,
    fd_readdir: (fd: number, address: number, length: number, cookie: bigint, result: number) => {
      const { node } = descriptors.get(fd);
      if (node.kind !== "folder") return errno.notdir;
      const buffer = world.memory().slice(address, length);
      let used = 0;
      // Writes entries until the buffer is full. A truncated entry tells the guest to call again.
      for (const [index, [name, child]] of [...node.entries].entries()) {
        if (index < cookie || used >= buffer.length) continue;
        const encoded = Buffer.from(name);
        const entry = Buffer.alloc(24 + encoded.length);
        entry.writeBigUInt64LE(BigInt(index + 1), 0);
        entry.writeBigUInt64LE(BigInt(child.id), 8);
        entry.writeUInt32LE(encoded.length, 16);
        entry.writeUInt8(fileType(child), 20);
        encoded.copy(entry, 24);
        const fitting = entry.subarray(0, buffer.length - used);
        buffer.set(fitting, used);
        used += fitting.length;
      }
      world.memory().writeU32(result, used);
    },
  };
}

const maxPathLength = 4096;
const readRight = 1n << 1n;
const writeRight = 1n << 6n;
const openFlag = { create: 1, directory: 2, exclusive: 4, truncate: 8 };

function openNode(
  { files }: GuestWorld,
  { folder, path, openFlags, canWrite }: { folder: ScratchFolder; path: string; openFlags: number; canWrite: boolean },
): ScratchNode {
  const found = files.find(folder, path);
  if (!found) {
    if ((openFlags & openFlag.create) === 0) throw new WasiFault(errno.noent);
    const location = files.locate(folder, path);
    const file: ScratchFile = files.makeFile();
    files.add(location, file);
    return file;
  }
  if ((openFlags & openFlag.exclusive) !== 0) throw new WasiFault(errno.exist);
  if (found.kind === "folder") {
    if (canWrite) throw new WasiFault(errno.isdir);
    return found;
  }
  if ((openFlags & openFlag.directory) !== 0) throw new WasiFault(errno.notdir);
  if ((openFlags & openFlag.truncate) !== 0) files.resize(found, 0);
  return found;
}

type EntryLocation = { folder: ScratchFolder; name: string };

function rename({ files }: GuestWorld, from: EntryLocation, to: EntryLocation): void {
  const node = from.folder.entries.get(from.name);
  if (!node) throw new WasiFault(errno.noent);
  const existing = to.folder.entries.get(to.name);
  if (existing === node) return;
  if (node.kind === "folder" && contains(node, to.folder)) throw new WasiFault(errno.inval);
  if (existing) files.remove(to, node.kind);
  from.folder.entries.delete(from.name);
  files.add(to, node);
}

function contains(outer: ScratchFolder, inner: ScratchFolder): boolean {
  const waiting = [outer];
  for (let folder = waiting.pop(); folder; folder = waiting.pop()) {
    if (folder === inner) return true;
    for (const child of folder.entries.values()) if (child.kind === "folder") waiting.push(child);
  }
  return false;
}
