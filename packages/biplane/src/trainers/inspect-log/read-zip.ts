import * as zlib from "node:zlib";
import { BiplaneError } from "@biplane/core";

/** The members of a ZIP file by name, each unpacked when it is read. A name that occurs twice is the later one. */
export function readZip(bytes: Buffer): ReadonlyMap<string, () => Buffer> {
  const end = bytes.lastIndexOf(endMark);
  if (end === -1 || end + 22 > bytes.length) throw damaged("it has no table of contents");
  const [count, start] = [bytes.readUInt16LE(end + 10), bytes.readUInt32LE(end + 16)];
  if (start === 0xffff_ffff || count === 0xffff) throw damaged("files of more than 4 GB cannot be read");
  const members = new Map<string, () => Buffer>();
  for (let at = start, left = count; left > 0; left--) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== entryMark) throw damaged("its table of contents is cut");
    const [nameLength, moreLength, noteLength] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const name = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    const entry = {
      name,
      method: bytes.readUInt16LE(at + 10),
      packedLength: bytes.readUInt32LE(at + 20),
      length: bytes.readUInt32LE(at + 24),
      offset: bytes.readUInt32LE(at + 42),
    };
    members.set(name, () => unpack(bytes, entry));
    at += 46 + nameLength + moreLength + noteLength;
  }
  return members;
}

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly packedLength: number;
  readonly length: number;
  readonly offset: number;
}

const endMark = Buffer.from("PK\u0005\u0006", "latin1");
const entryMark = 0x0201_4b50;
/** Longer text does not fit into a string. */
const maxLength = 512 * 2 ** 20;

function unpack(bytes: Buffer, { name, method, packedLength, length, offset }: Entry): Buffer {
  if (length > maxLength) throw damaged(`${name} is larger than 512 MB`);
  if (offset + 30 > bytes.length) throw damaged(`${name} is missing`);
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  const packed = bytes.subarray(start, start + packedLength);
  if (packed.length < packedLength) throw damaged(`${name} is cut`);
  const limit = { maxOutputLength: Math.max(1, length) };
  if (method === 0) return packed;
  if (method === 8) return zlib.inflateRawSync(packed, limit);
  if (method !== 93) throw damaged(`${name} is packed with method ${method}`);
  if (!zstd) throw new BiplaneError("NOT_SUPPORTED", noZstd);
  return zstd(packed, limit);
}

/** Since Node 22.15. */
const zstd = Reflect.get(zlib, "zstdDecompressSync") as
  | ((packed: Buffer, options: { readonly maxOutputLength: number }) => Buffer)
  | undefined;

const noZstd = `Node ${process.versions.node} cannot unpack this file. Use Node 22.15 or newer, or convert it to JSON: inspect log convert --to json --output-dir . LOG.eval`;

function damaged(why: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `The ZIP file cannot be read: ${why}.`);
}
