import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { BiplaneError } from "@biplane/core";

type Fields = Readonly<Record<string, unknown>>;
type Decompress = (input: Uint8Array, size: number) => Uint8Array;

/** Reads the records of a Parquet file, one row group at a time. */
export async function* parquetRecords(file: string, limit = Infinity): AsyncGenerator<Fields> {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, snappyUncompress } = await import("hyparquet");
  const { decompress: decompressZstd } = await import("fzstd");
  const codecs: Record<string, Decompress> = {
    SNAPPY: (input, size) => {
      const output = new Uint8Array(size);
      snappyUncompress(input, output);
      return output;
    },
    GZIP: (input, size) => gunzipSync(input, { maxOutputLength: Math.max(1, size) }),
    BROTLI: (input, size) => brotliDecompressSync(input, { maxOutputLength: Math.max(1, size) }),
    ZSTD: (input, size) => decompressZstd(input, new Uint8Array(size)),
  };
  const source = await asyncBufferFromFile(file);
  const metadata = await parquetMetadataAsync(source);
  let groupBytes = 0;
  // A page says how large it is without compression, and files from elsewhere may lie.
  const bounded =
    (codec: Decompress): Decompress =>
    (input, size) => {
      checkSize((groupBytes += size), "A row group");
      return codec(input, size);
    };
  const compressors = Object.fromEntries(Object.entries(codecs).map(([name, codec]) => [name, bounded(codec)]));
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    if (rowStart >= limit) return;
    groupBytes = 0;
    checkSize(Number(group.total_byte_size), "A row group");
    const rowEnd = Math.min(limit, rowStart + Number(group.num_rows));
    const records: Fields[] = await parquetReadObjects({
      file: source,
      metadata,
      rowStart,
      rowEnd,
      compressors,
      utf8: false,
    });
    yield* records;
    rowStart += Number(group.num_rows);
  }
}

function checkSize(bytes: number, what: string): void {
  if (bytes <= maxBytes) return;
  throw new BiplaneError("INVALID_INPUT", `${what} has ${bytes} bytes. The limit is ${maxBytes}.`);
}

const maxBytes = 1024 ** 3;
