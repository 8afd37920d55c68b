import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { parquetWriteBuffer } from "hyparquet-writer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readRows } from "../../packages/biplane/src/rollout/data/read-rows.ts";
import { essence } from "./row-essence.ts";

const data = fileURLToPath(new URL("data/", import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-table-files-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function written(name: string, content: string | Uint8Array): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, content);
  return file;
}

test("integers beyond 2^53 keep their value in a seed", async () => {
  const big = 2n ** 60n + 1n;
  const table = parquetWriteBuffer({ columnData: [{ name: "seed", data: [big], type: "INT64" }] });
  const files = [
    await written("big.parquet", new Uint8Array(table)),
    await written("big.csv", `seed\n${big}\n`),
    await written("big.jsonl", `{"seed":${big}}\n`),
  ];
  for (const file of files) {
    const [row] = await readRows(file);
    expect(essence(row ?? expect.fail()).seed).toBe(big);
    expect(JSON.parse(JSON.stringify(row))).toEqual(row);
  }
});

/** Written by pyarrow and by `datasets`, see data/make-datasets.py. All hold the same three rows. */
const same = [
  "datasets/rows-snappy.parquet",
  "datasets/rows-zstd.parquet",
  "datasets/rows-gzip.parquet",
  "datasets/rows-brotli.parquet",
  "datasets/rows.jsonl",
  "datasets/rows.csv",
  "datasets/rows-file.arrow",
  "datasets/saved",
  "datasets/repository",
];

test.each(same)("%s holds what Python wrote", async (name) => {
  const rows = await readRows(join(data, name), { split: name.endsWith("repository") ? "train" : undefined });
  expect(rows.map(essence)).toEqual([
    {
      id: "first",
      seed: 42,
      context: { is_slippery: false, size: 4, seed: 42 },
      template: "",
      messages: [
        { role: "system", content: "You cross a lake." },
        { role: "user", content: "Go — now" },
      ],
    },
    {
      id: "second",
      seed: 7,
      context: { is_slippery: true, size: 8, seed: 7 },
      template: "",
      messages: [{ role: "user", content: "Go" }],
    },
    {
      id: "third",
      seed: 0,
      context: { is_slippery: true, seed: 0 },
      template: "",
      messages: [{ role: "user", content: "" }],
    },
  ]);
});

test("a dataset with splits needs one of them", async () => {
  const split = join(data, "datasets/splits");
  expect((await readRows(split, { split: "test" })).map((row) => essence(row).id)).toEqual(["third"]);
  expect((await readRows(split, { split: "train" })).length).toBe(2);
  await expect(readRows(split)).rejects.toThrow(`The splits of ${split} are train, test. Choose one with --split.`);
  await expect(readRows(split, { split: "dev" })).rejects.toThrow('Unknown split "dev".');
});

const isSoak = process.env["BIPLANE_SOAK"] === "1";

/** The file with a byte changed, and cut at the end. */
async function damaged(name: string, { at, byte, cut = 0 }: { at: number; byte: number; cut?: number }) {
  const bytes = await readFile(join(data, name));
  bytes[at % bytes.length] = byte;
  return written(`damaged-${name.replaceAll("/", "-")}`, bytes.subarray(0, bytes.length - cut));
}

test.each(["datasets/rows-snappy.parquet", "datasets/rows-zstd.parquet", "datasets/rows-file.arrow"])(
  "a damaged copy of %s is refused or read, and nothing else happens",
  { timeout: isSoak ? 3_600_000 : 120_000 },
  async (name) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(255), fc.nat(64), async (at, byte, cut) => {
        const file = await damaged(name, { at, byte, cut });
        const failure = await readRows(file, { timeoutMs: 3000, memoryMb: 128 }).then(
          () => undefined,
          (error: Error) => error.message,
        );
        expect(failure ?? file).toContain(file);
      }),
      { numRuns: isSoak ? 2000 : 10 },
    );
  },
);

test.each([
  ["datasets/rows-file.arrow", 60, 1],
  ["datasets/rows-file.arrow", 64, 255],
  ["datasets/saved/data-00000-of-00002.arrow", 56, 127],
])("a copy of %s in which byte %d is %d, which the decoder never ends with, is refused", async (name, at, byte) => {
  const file = await damaged(name, { at, byte });
  await expect(readRows(file, { timeoutMs: 1000 })).rejects.toThrow(
    `${file}: The file seems to be damaged: its decoding takes longer than 1 s.`,
  );
});

test("a table that needs more memory than it may is refused", async () => {
  const long = Array.from({ length: 20_000 }, (_, at) => `a text of its own ${at} `.repeat(20));
  const table = parquetWriteBuffer({ columnData: [{ name: "prompt", data: long, type: "STRING" }] });
  const file = await written("large.parquet", new Uint8Array(table));
  await expect(readRows(file, { memoryMb: 8 })).rejects.toThrow(
    `${file}: The file seems to be damaged: its decoding needs more than 8 MB of memory.`,
  );
  expect(await readRows(file, { limit: 3 })).toHaveLength(3);
});

test("an Arrow file that was cut is refused with its name", async () => {
  const whole = await readFile(join(data, "datasets/saved/data-00000-of-00002.arrow"));
  for (const length of [9, 200, whole.length - 100]) {
    const file = await written("cut.arrow", whole.subarray(0, length));
    await expect(readRows(file)).rejects.toThrow(`${file}: The Arrow data is damaged. `);
  }
});
