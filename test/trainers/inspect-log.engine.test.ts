import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as zlib from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../packages/biplane/src/store/sql-store.ts";
import { listRuns } from "../../packages/biplane/src/store/runs/run.ts";
import { readTraces } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { readZip } from "../../packages/biplane/src/trainers/inspect-log/read-zip.ts";
import { runHere } from "../cli/command.ts";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "biplane-inspect-"))));
afterAll(() => rm(folder, { recursive: true }));

const header = {
  version: 2,
  status: "success",
  eval: { task: "lake", model: "openai/gpt", created: "2026-01-02T03:04:05+00:00", config: { epochs: 2 } },
};
const hash = "0123456789abcdef";
const move = { id: "c1", function: "lake_move", arguments: { action: "DOWN" }, type: "function" };
const played = {
  id: "s7",
  epoch: 1,
  metadata: { seed: 7, config: { map_name: "8x8" }, episode: "e-1" },
  messages: [
    { role: "user", content: `attachment://${hash}` },
    { role: "assistant", content: [{ type: "text", text: "Down." }], tool_calls: [move] },
    { role: "tool", tool_call_id: "c1", function: "lake_move", content: '{"position":4}' },
    { role: "assistant", content: "Again.", tool_calls: [{ ...move, id: "c2" }] },
    { role: "tool", tool_call_id: "c2", content: "", error: { type: "unknown", message: "No ice." } },
    { role: "assistant", content: "Done." },
  ],
  attachments: { [hash]: "A long lake" },
  events: [{ event: "model", tools: [{ name: "lake_move", description: "Move", parameters: { type: "object" } }] }],
  scores: { control_plane: { value: 0.25, metadata: { terminated: true, truncated: false, step_count: 2 } } },
  model_usage: { a: { input_tokens: 10, output_tokens: 3, total_tokens: 13 }, b: { total_tokens: 7 } },
  started_at: "2026-01-02T03:04:06+00:00",
  total_time: 1.5,
};
const failure = { kind: "judge", message: "the judge is away", masked: true };
const unscored = { ...played, epoch: 2, scores: { control_plane: { value: null, metadata: { failure } } } };
const failed = { ...played, id: "s8", scores: undefined, error: { message: "no route to host", traceback: "" } };

async function importFile(name: string, content: string | Uint8Array, ...more: string[]) {
  const [file, db] = [join(folder, name), join(folder, `${name}.db`)];
  await writeFile(file, content);
  const ended = await runHere("import", file, "--store", db, ...more);
  await using store = await openStore(db);
  const [run] = await listRuns(store);
  return { ...ended, run, traces: run ? await readTraces(store, run.id) : [] };
}

const json = (...samples: object[]) => JSON.stringify({ ...header, samples });

test("a sample becomes a rollout with its conversation, its calls and its score", async () => {
  const { code, stdout, run, traces } = await importFile("log.json", json(played));
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Imported 1 samples of lake as 20260102-030405-\w+\. /)]);
  expect(run).toMatchObject({ name: "lake", status: "finished", rows: 1, repetitions: 2, ended: 1, failed: 0 });
  const [trace] = traces;
  expect(trace).toMatchObject({
    rowId: "s7",
    repetition: 0,
    seed: "7",
    model: "openai/gpt",
    startedAt: "2026-01-02T03:04:06.000Z",
    totalReward: 0.25,
    ending: { reason: "control_plane_signal", terminated: true, truncated: false },
    usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 20 },
    durationMs: 1500,
  });
  expect(trace?.tools.map(({ function: { name } }) => name)).toEqual(["lake_move"]);
  expect(trace?.messages.map(({ role, content }) => [role, content])).toEqual([
    ["user", "A long lake"],
    ["assistant", "Down."],
    ["tool", '{"position":4}'],
    ["assistant", "Again."],
    ["tool", "No ice."],
    ["assistant", "Done."],
  ]);
  expect(trace?.steps.map(({ call, observation, terminated }) => [call?.isError, observation, terminated])).toEqual([
    [false, { position: 4 }, false],
    [true, "No ice.", true],
  ]);
});

test("samples without a score have no reward, and say why", async () => {
  const text = json(played, unscored, failed).replaceAll('"value":null', '"value":NaN');
  const { traces, run } = await importFile("masked.json", text);
  expect(
    traces.map(({ rowId, repetition, totalReward, failure: why }) => [rowId, repetition, totalReward, why]),
  ).toEqual([
    ["s7", 0, 0.25, undefined],
    ["s7", 1, null, failure],
    ["s8", 0, null, { kind: "infrastructure", message: "no route to host", masked: true }],
  ]);
  expect(run).toMatchObject({ rows: 2, ended: 3 });
});

test.each([
  [true, 1],
  ["C", 1],
  ["P", 0.5],
  ["I", 0],
  ["0.75", 0.75],
  ["what", null],
  [[1], null],
])("the score %j counts %j", async (value, expected) => {
  const { traces } = await importFile("value.json", json({ ...played, scores: { any: { value } } }), "--name", "v");
  expect(traces.at(-1)?.totalReward).toBe(expected);
  await rm(join(folder, "value.json.db"));
});

test("--score chooses a scorer, and one of its values", async () => {
  const sample = { ...played, scores: { first: { value: 1 }, second: { value: { good: 0.5, bad: 0.1 } } } };
  expect((await importFile("choose.json", json(sample), "--score", "second.bad")).traces[0]?.totalReward).toBe(0.1);
  const { code, stderr, run } = await importFile("several.json", json(sample), "--score", "second");
  expect([code, stderr]).toEqual([1, expect.stringContaining("Choose one with --score second.good, second.bad.")]);
  expect(run).toBeUndefined();
  expect((await importFile("none.json", json(sample), "--score", "third")).stderr).toContain("Known: first, second.");
});

describe("a .eval file", () => {
  const members = { "header.json": header, "samples/s7_epoch_1.json": played, "samples/s8_epoch_1.json": failed };

  test.each([["stored", 0] as const, ["deflated", 8] as const])("that is %s is read", async (_, method) => {
    const { code, traces } = await importFile(`log-${method}.eval`, zip(members, method));
    expect(code).toBe(0);
    expect(traces.map(({ rowId, totalReward }) => [rowId, totalReward])).toEqual([
      ["s7", 0.25],
      ["s8", null],
    ]);
  });

  test.skipIf(!("zstdCompressSync" in zlib))("that is packed with zstd is read", async () => {
    expect((await importFile("log-93.eval", zip(members, 93))).traces).toHaveLength(2);
  });

  test.runIf(!("zstdCompressSync" in zlib))("that this Node cannot unpack is refused, with what to do", async () => {
    const { code, stderr } = await importFile("log-93.eval", zip(members, 93));
    expect([code, stderr]).toEqual([1, expect.stringMatching(/Use Node 22\.15 or newer, or convert it to JSON/)]);
  });

  test("that is not finished, cut or damaged is refused", async () => {
    const { "header.json": _, ...rest } = members;
    expect((await importFile("open.eval", zip(rest, 8))).stderr).toContain("Wait until the evaluation has ended.");
    const whole = zip(members, 8);
    expect(() => readZip(whole.subarray(0, 40))).toThrow("it has no table of contents");
    const cut = Buffer.concat([whole.subarray(0, 30), whole.subarray(-22)]);
    expect(() => readZip(cut)).toThrow("its table of contents is cut");
    expect(() => readZip(zip({ "a.json": "x".repeat(9) }, 8, 5)).get("a.json")?.()).toThrow(/larger than/);
  });
});

test("what is not a log is refused, and leaves no run", async () => {
  expect((await importFile("other.json", "{}")).stderr).toContain("is not a log of Inspect AI");
  expect((await importFile("text.json", "hello")).stderr).toContain("is not JSON");
  const { stderr, run } = await importFile("empty.json", json());
  expect([stderr, run]).toEqual([expect.stringContaining("has no samples."), undefined]);
});

/** A ZIP file. `claimed` replaces the length that the table of contents tells. */
function zip(files: Readonly<Record<string, unknown>>, method: number, claimed?: number): Buffer {
  const [bodies, table]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const plain = Buffer.from(JSON.stringify(content));
    const packed = method === 8 ? zlib.deflateRawSync(plain) : method === 93 ? zstd(plain) : plain;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x0403_4b50, 0);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x0201_4b50, 0);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(claimed ?? plain.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    bodies.push(local, Buffer.from(name), packed);
    table.push(entry, Buffer.from(name));
    offset += 30 + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, ...table, end]);
}

function zstd(plain: Buffer): Buffer {
  const compress = Reflect.get(zlib, "zstdCompressSync") as ((bytes: Buffer) => Buffer) | undefined;
  return compress?.(plain) ?? plain;
}
