import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { promisify } from "node:util";
import { crc32, deflateRaw } from "node:zlib";

/** A file of an archive: its path in it, and where its bytes are. */
export interface ZipEntry {
  readonly path: string;
  readonly from: { readonly file: string } | { readonly text: string };
  readonly isExecutable?: boolean;
}

/** Writes a zip archive. The same files give the same bytes, because no times are written. */
export async function writeZip(target: string, entries: readonly ZipEntry[]): Promise<void> {
  if (entries.length > 0xffff) throw new Error(`An archive can have 65535 files, not ${entries.length}.`);
  const out = createWriteStream(target);
  const done = finished(out);
  const directory: Buffer[] = [];
  let offset = 0;
  const write = async (bytes: Buffer) => {
    offset += bytes.length;
    if (!out.write(bytes)) await Promise.race([once(out, "drain"), done]);
  };
  for (const entry of entries) {
    const bytes = "file" in entry.from ? await readFile(entry.from.file) : Buffer.from(entry.from.text);
    const packed = await compress(bytes, { level: 6 });
    const name = Buffer.from(entry.path);
    const facts = factsOf(bytes, packed.length, name.length);
    directory.push(directoryHeader(facts, offset, entry.isExecutable === true), name);
    await write(Buffer.concat([localHeader(facts), name, packed]));
  }
  const start = offset;
  await write(Buffer.concat(directory));
  await write(endOfDirectory(entries.length, start, offset - start));
  out.end();
  await done;
}

const compress = promisify(deflateRaw) as (bytes: Buffer, options: { level: number }) => Promise<Buffer>;

/** The fields that both headers of a file have: version, flags (UTF-8 names), method (deflate), time, date, sizes. */
function factsOf(bytes: Buffer, packedLength: number, nameLength: number): Buffer {
  const facts = Buffer.alloc(26);
  facts.writeUInt16LE(20, 0);
  facts.writeUInt16LE(0x0800, 2);
  facts.writeUInt16LE(8, 4);
  facts.writeUInt16LE(0x21, 8); // 1980-01-01
  facts.writeUInt32LE(crc32(bytes), 10);
  facts.writeUInt32LE(packedLength, 14);
  facts.writeUInt32LE(bytes.length, 18);
  facts.writeUInt16LE(nameLength, 22);
  return facts;
}

function localHeader(facts: Buffer): Buffer {
  return Buffer.concat([Buffer.from("PK\u0003\u0004"), facts]);
}

function directoryHeader(facts: Buffer, offset: number, isExecutable: boolean): Buffer {
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(((isExecutable ? 0o100755 : 0o100644) << 16) >>> 0, 6);
  rest.writeUInt32LE(offset, 10);
  const madeOnUnix = Buffer.from([20, 3]);
  return Buffer.concat([Buffer.from("PK\u0001\u0002"), madeOnUnix, facts, rest]);
}

function endOfDirectory(count: number, start: number, length: number): Buffer {
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006");
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(length, 12);
  end.writeUInt32LE(start, 16);
  return end;
}
