import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { BiplaneError } from "@biplane/core";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the records of an Arrow file, one batch at a time. Both forms of Arrow IPC are accepted: the stream, which
 * Hugging Face `datasets` writes, and the file.
 */
export async function* arrowRecords(file: string): AsyncGenerator<Fields> {
  const { tableFromIPC } = await import("@uwdata/flechette");
  const handle = await open(file);
  try {
    const before: Uint8Array[] = [];
    for await (const { kind, bytes } of messagesOf(handle)) {
      if (kind !== messageKinds.recordBatch) before.push(bytes);
      else yield* rowsOf(tableFromIPC([...before, bytes], { useBigInt: true, useDate: true }));
    }
  } finally {
    await handle.close();
  }
}

function rowsOf(table: Iterable<unknown> & { readonly numRows: number }): Iterable<Fields> {
  if (table.numRows > maxBatchRows)
    throw damaged(`A batch of ${table.numRows} rows is not accepted. The limit is ${maxBatchRows}.`);
  return table as Iterable<Fields>;
}

const maxBatchRows = 10_000_000;

const messageKinds = { schema: 1, dictionaryBatch: 2, recordBatch: 3 } as const;

/** Splits the stream into its messages. A file has the same messages, after its magic bytes. */
async function* messagesOf(handle: FileHandle): AsyncGenerator<{ kind: number; bytes: Uint8Array }> {
  const { size } = await handle.stat();
  const read = async (position: number, length: number) => {
    if (length < 0 || length > maxMessageBytes)
      throw damaged(`A message of ${length} bytes is not accepted. The limit is ${maxMessageBytes}.`);
    if (position + length > size) throw damaged("The file ends within a message.");
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, position);
    return buffer;
  };
  const magic = await read(0, Math.min(8, size));
  for (let at = magic.toString("latin1").startsWith("ARROW1") ? 8 : 0; at + 8 <= size;) {
    const head = await read(at, 8);
    // Messages before Arrow 0.15 have no mark before their length.
    const isMarked = head.readInt32LE(0) === -1;
    const start = at + (isMarked ? 8 : 4);
    const length = head.readInt32LE(isMarked ? 4 : 0);
    if (length === 0) return;
    const { kind, bodyLength } = readMessage(await read(start, length));
    const end = start + length + bodyLength;
    yield { kind, bytes: await read(at, end - at) };
    at = end;
  }
}

/** The kind of a message and the length of its body, from its FlatBuffers table. */
function readMessage(table: Buffer): { kind: number; bodyLength: number } {
  try {
    const at = table.readInt32LE(0);
    const fields = at - table.readInt32LE(at);
    const size = table.readInt16LE(fields);
    const placeOf = (field: number) => (field < size ? table.readInt16LE(fields + field) : 0);
    const [kind, body] = [placeOf(6), placeOf(10)];
    return {
      kind: kind === 0 ? 0 : table.readUInt8(at + kind),
      bodyLength: body === 0 ? 0 : Number(table.readBigInt64LE(at + body)),
    };
  } catch (error) {
    throw damaged("A message has no valid header.", error);
  }
}

const maxMessageBytes = 1024 ** 3;

function damaged(why: string, cause?: unknown): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `The Arrow data is damaged. ${why}`, { cause });
}
