import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { csvRecords } from "../../packages/biplane/src/rollout/data/csv.ts";
import { parquetRecords } from "../../packages/biplane/src/rollout/data/parquet.ts";
import { readRows, streamRows } from "../../packages/biplane/src/rollout/data/read-rows.ts";
import type { Row } from "../../packages/biplane/src/rollout/row.ts";
import { essence } from "./row-essence.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-row-files-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function written(name: string, content: string | Uint8Array): Promise<string> {
  const file = join(folder, name);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, content);
  return file;
}

const csv = `\uFEFFid,seed,config,prompt,answer\r
a,7,"{""size"": 4}","Cross,
please",15\r
\r
b,,,Walk,\r
`;

test("a CSV file has text, numbers for seeds, JSON for settings, and quotes around line breaks", async () => {
  const rows = await readRows(await written("rows.csv", csv));
  expect(rows.map(essence)).toEqual([
    {
      id: "a",
      seed: 7,
      context: { size: 4, seed: 7 },
      template: "",
      messages: [{ role: "user", content: "Cross,\nplease" }],
    },
    { id: "b", seed: null, context: {}, template: "", messages: [{ role: "user", content: "Walk" }] },
  ]);
  expect(rows[0]?.input_metadata?.dataset_info?.["answer"]).toBe("15");
});

test.each([
  ["bad-seed.csv", "id,seed\na,1\nb,first\n", 'line 3, column seed: A seed must be an integer, not "first".'],
  ["bad-json.csv", "seed,config\n1,{\n", "line 2, column config: "],
  ["cells.csv", 'seed,x\n1,"a\nb"\n2\n', "line 4: The record has 1 cells, but the header has 2."],
  ["open.csv", 'seed,x\n1,"a\nb\n', 'line 2: A cell that begins with " has no closing ".'],
  ["after.csv", 'seed,x\n1,"a"b\n', 'line 2: Text follows the closing " of a cell.'],
  ["twice.csv", "seed,seed\n1,2\n", 'line 1: Two columns are named "seed".'],
  ["none.csv", "colour\nred\n", "line 2: A row needs messages"],
  ["none.jsonl", '{"seed":1}\n{"seed":"x"\n', "line 2: "],
  ["config.jsonl", '{"seed":1,"config":"large"}\n', "line 1: A row's config must be an object."],
])("%s is refused with the place of what is wrong", async (name, content, message) => {
  const file = await written(name, content);
  await expect(readRows(file)).rejects.toThrow(`${file}, ${message}`);
});

test("text that is not UTF-8 is refused", async () => {
  const file = await written("latin.csv", Buffer.from("seed,x\n1,\xe9\n", "latin1"));
  await expect(readRows(file)).rejects.toThrow(`${file}: The text is not UTF-8.`);
});

test("a CSV file reads the same in pieces of any size", async () => {
  const cell = fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r", " ", "é", "😀") });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell), { minLength: 1 }),
      fc.integer({ min: 1, max: 9 }),
      async (rows, size) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const text = ["x,y", ...rows.map((cells) => cells.map(quoted).join(","))].join("\n");
        const read = [];
        for await (const { cells } of csvRecords(pieces(text, size))) read.push([cells["x"] ?? "", cells["y"] ?? ""]);
        expect(read).toEqual(rows);
      },
    ),
    { numRuns: 50 },
  );
});

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

test("records of other trainers are rows: a prompt as text or messages, a seed, a config", async () => {
  const lines = [
    { prompt: [{ role: "user", content: "Go" }], seed: 3 },
    { prompt: "Go {there}", system_prompt: "Be brief.", id: 9 },
    { messages: [{ role: "user", content: "Go" }], seed: 4, config: { size: 8 } },
  ];
  const rows = await readRows(await written("rows.jsonl", lines.map((line) => JSON.stringify(line)).join("\n")));
  const go = { role: "user", content: "Go" };
  expect(rows.map(essence)).toEqual([
    { id: "task_0", seed: 3, context: { seed: 3 }, template: "", messages: [go] },
    {
      id: "9",
      seed: null,
      context: {},
      template: "",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Go {there}" },
      ],
    },
    { id: "task_2", seed: 4, context: { size: 8, seed: 4 }, template: "", messages: [go] },
  ]);
});

test("only as much of a file is read as is asked for", async () => {
  const file = await written("long.jsonl", `{"seed":1}\n{"seed":2}\nnot JSON\n`);
  expect((await readRows(file, { limit: 2 })).length).toBe(2);
  expect(await readRows(file, { limit: 0 })).toEqual([]);
  const first = streamRows(file);
  expect(essence((await first.next()).value as Row).seed).toBe(1);
  await first.return(undefined);
});

test("a compressed file and one with tabs are read", async () => {
  const lines = await readRows(await written("rows.jsonl.gz", gzipSync('{"seed":1}\n{"seed":2}\n')));
  expect(lines.map((row) => essence(row).seed)).toEqual([1, 2]);
  const [row] = await readRows(await written("rows.tsv", "seed\tprompt\n5\ta, b\n"));
  expect(essence(row ?? expect.fail()).messages).toEqual([{ role: "user", content: "a, b" }]);
  await expect(readRows(await written("broken.csv.gz", gzipSync("seed\n1\n").subarray(0, 12)))).rejects.toThrow(
    "broken.csv.gz: ",
  );
});

test("a dataset cannot name files outside of its folder", async () => {
  await written("escape/state.json", '{"_data_files":[{"filename":"../../rows.jsonl"}]}');
  await expect(readRows(join(folder, "escape"))).rejects.toThrow("which is not in it");
  await written("empty/notes.txt", "");
  await expect(readRows(join(folder, "empty"))).rejects.toThrow("has no JSONL, CSV, Parquet or Arrow file");
});

test.each(["rows-snappy.parquet", "rows-zstd.parquet"])(
  "a damaged copy of %s throws an error or is read",
  async (name) => {
    const whole = await readFile(new URL(`data/datasets/${name}`, import.meta.url));
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), fc.nat(64), async (at, byte, cut) => {
        const bytes = Buffer.from(whole);
        bytes[at] = byte;
        const file = await written(name, bytes.subarray(0, whole.length - cut));
        const read = async () => {
          for await (const record of parquetRecords(file)) expect(record).toBeTypeOf("object");
        };
        await read().catch((error: unknown) => expect(error).toBeInstanceOf(Error));
      }),
      { numRuns: 60 },
    );
  },
);
