import { appendFile, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connect } from "biplane/client";
import type { Client } from "biplane/client";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { labelSession, readSessionRecordings, recordSessions } from "biplane/recording";
import { tool } from "biplane";
import { linesOf, orders, record, secret } from "./orders.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test.each(["legacy", "modern"] as const)(
  "a session is kept with its lists, calls, answers and times: %s",
  async (era) => {
    await using folder = await temporaryFolder();
    await using served = orders();
    const file = join(folder.path, "new", "sessions.jsonl");
    const now = Date.parse("2026-01-02T03:04:05.678Z");
    const { sessions, lists, server } = await record(
      served,
      [
        async (client) => {
          await client.callTool("order_get", { id: "A-1" });
          await client.callTool("order_cancel", { id: "A-1" });
          await client.callTool("order_cancel", { id: "A-1" });
          await client.callTool("order_get", { id: 7 });
          await client.readResource("policy://refunds");
        },
      ],
      { file, era, now: () => now },
    );
    expect(server).toEqual({ name: "orders", version: "1.2.3" });
    expect(lists.tools.map(({ name }) => name)).toEqual(["order_get", "order_cancel", "order_list", "key_show"]);
    expect(lists.resources).toMatchObject([{ uri: "policy://refunds" }]);
    expect(lists.prompts).toMatchObject([{ name: "greet" }]);
    expect(sessions).toHaveLength(1);
    expect(sessions[0]?.calls).toMatchObject([
      {
        at: "2026-01-02T03:04:05.678Z",
        tool: "order_get",
        arguments: { id: "A-1" },
        result: { structuredContent: { id: "A-1", status: "open" } },
      },
      { tool: "order_cancel", result: { content: [{ type: "text", text: "Cancelled A-1" }] } },
      { tool: "order_cancel", error: { code: "EXECUTION_ERROR", message: "A-1 is cancelled already" } },
      { tool: "order_get", arguments: { id: 7 }, error: { code: "INVALID_INPUT" } },
      { tool: "resources/read", arguments: { uri: "policy://refunds" } },
    ]);
    for (const { durationMs } of sessions[0]?.calls ?? []) expect(durationMs).toBeGreaterThanOrEqual(0);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  },
);

test("secrets are in no line: not in results, not in arguments", async () => {
  await using folder = await temporaryFolder();
  await using served = orders();
  const file = join(folder.path, "sessions.jsonl");
  const { sessions } = await record(
    served,
    [
      async (client) => {
        await client.callTool("key_show");
        await client.callTool("order_get", { id: secret });
        await client.callTool(`no_${secret}`).catch(() => undefined);
      },
    ],
    { file },
  );
  expect(sessions[0]?.calls).toHaveLength(3);
  const text = await readFile(file, "utf8");
  expect(text).not.toContain(secret);
  expect(text).not.toContain(Buffer.from(secret).toString("base64"));
  expect(text).toContain("ORDERS_KEY");
});

test("clients have sessions of their own, and the id of an MCP session is not written", async () => {
  await using folder = await temporaryFolder();
  await using served = orders();
  const file = join(folder.path, "sessions.jsonl");
  const seen: (string | undefined)[] = [];
  served.watch({ onStart: ({ session }) => void seen.push(session) });
  const get = (id: string) => (client: Client) => client.callTool("order_get", { id });
  const { sessions } = await record(served, [get("A-1"), get("A-2")], { file });
  expect(sessions.map(({ calls }) => calls.map((call) => call.arguments))).toEqual([[{ id: "A-1" }], [{ id: "A-2" }]]);
  const text = await readFile(file, "utf8");
  for (const session of seen) if (session !== undefined) expect(text).not.toContain(session);
});

test("a caller without a session begins a new one after a pause", async () => {
  await using folder = await temporaryFolder();
  await using served = orders();
  let at = 0;
  const { sessions } = await record(
    served,
    [
      async (client) => {
        await client.callTool("order_get", { id: "A-1" });
        at += 999;
        await client.callTool("order_get", { id: "A-2" });
        at += 1001;
        await client.callTool("order_get", { id: "A-3" });
      },
    ],
    { file: join(folder.path, "sessions.jsonl"), era: "modern", now: () => at, idleMs: 1000 },
  );
  expect(sessions.map(({ calls }) => calls.length)).toEqual([2, 1]);
});

test("an episode is a session, with its first observation and its rewards", async () => {
  await using folder = await temporaryFolder();
  await using lake = frozenLake();
  const file = join(folder.path, "sessions.jsonl");
  await using _ = await recordSessions(lake, { file });
  const [first, second] = [await lake.start({ seed: 42 }), await lake.start({ seed: 43 })];
  await lake.call(first, "lake_move", { action: "RIGHT" });
  await lake.call(second, "lake_move", { action: "DOWN" });
  await lake.call(first, "lake_move", { action: "RIGHT" });
  const { sessions } = await readSessionRecordings([file]);
  expect(sessions.map(({ calls }) => calls.length)).toEqual([2, 1]);
  expect(sessions[0]?.observation).toEqual(first.firstObservation);
  expect(sessions[0]?.calls[0]?.step).toEqual({ reward: 0, terminated: false, truncated: false });
});

test("calls of agent code, and calls that were not answered, are no part of a session", async () => {
  await using folder = await temporaryFolder();
  await using served = orders();
  served.add(
    tool({ name: "wait", run: (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", resolve)) }),
  );
  const stop = new AbortController();
  const { sessions } = await record(
    served,
    [
      async (client) => {
        const waiting = client.callTool("wait", {}, { signal: stop.signal }).catch(() => undefined);
        stop.abort();
        await waiting;
        await client.callTool("order_get", { id: "A-1" });
      },
    ],
    { file: join(folder.path, "sessions.jsonl") },
  );
  expect(sessions.flatMap(({ calls }) => calls.map((call) => call.tool))).toEqual(["order_get"]);
});

test("a tool that is added later is listed again", async () => {
  await using folder = await temporaryFolder();
  await using served = orders();
  const file = join(folder.path, "sessions.jsonl");
  const recorder = await recordSessions(served, { file });
  served.add(tool({ name: "later", run: () => "late" }));
  await recorder[Symbol.asyncDispose]();
  expect((await linesOf(file)).map(({ type }) => type)).toEqual(["recording", "lists", "lists"]);
  const { lists } = await readSessionRecordings([file]);
  expect(lists.tools.map(({ name }) => name)).toContain("later");
});

test("a long answer is left out, a long session ends, and a full file takes no more", async () => {
  await using folder = await temporaryFolder();
  await using served = orders();
  const long = "x".repeat(3000);
  served.add(tool({ name: "long", run: () => long }));
  const file = join(folder.path, "sessions.jsonl");
  const faults: unknown[] = [];
  const { sessions, warnings } = await record(
    served,
    [
      async (client) => {
        await client.callTool("long");
        for (let count = 0; count < 20; count++) await client.callTool("order_get", { id: "A-1" });
      },
      (client) => client.callTool("order_get", { id: "A-2" }),
    ],
    { file, maxEntryBytes: 1000, maxSessionBytes: 4000, onFault: (fault) => faults.push(fault) },
  );
  expect(sessions[0]?.calls[0]).toMatchObject({ tool: "long", omittedBytes: expect.any(Number) as number });
  expect(sessions[0]?.calls.length).toBeLessThan(20);
  expect(sessions[1]?.calls).toHaveLength(1);
  expect(warnings.join()).toMatch(/has more than 4000 bytes\. Its further calls are not recorded/);

  const small = join(folder.path, "small.jsonl");
  const full = await record(
    orders(),
    [
      async (client) => {
        for (let count = 0; count < 50; count++) await client.callTool("order_get", { id: "A-1" });
      },
    ],
    { file: small, maxBytes: 6000, onFault: (fault) => faults.push(fault) },
  );
  expect((await stat(small)).size).toBeLessThanOrEqual(6000);
  expect(full.warnings.join()).toMatch(/is full\. Nothing more is recorded/);
  expect(faults).toHaveLength(1);
});

test("one caller over the network cannot fill the file for the others", async () => {
  await using folder = await temporaryFolder();
  await using served = orders();
  const file = join(folder.path, "sessions.jsonl");
  await using _ = await recordSessions(served, { file, maxCallerBytes: 2000 });
  const { url } = await served.serve("http://127.0.0.1:0");
  for (let session = 0; session < 10; session++) {
    await using client = await connect(`${url}/mcp`, { era: "legacy" });
    await client.callTool("order_get", { id: "A-1" });
  }
  await served.call("order_get", { id: "B-2" });
  const { sessions, warnings } = await readSessionRecordings([file]);
  const recorded = sessions.flatMap(({ calls }) => calls.map((call) => call.arguments));
  expect(recorded.length).toBeLessThan(9);
  expect(recorded.at(-1)).toEqual({ id: "B-2" });
  expect(warnings[0]).toMatch(/The caller has more than 2000 bytes\. Its further calls are not recorded/);
});

test("a half-written line at the end of a process is ignored, and a new recording begins after it", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "sessions.jsonl");
  const get = (id: string) => [async (client: Client) => client.callTool("order_get", { id })];
  await record(orders(), get("A-1"), { file });
  await appendFile(file, '{"type":"call","session":"x","tool":"order_g');
  expect((await readSessionRecordings([file])).warnings.join()).toMatch(/was not written completely and is ignored/);
  const { sessions, warnings } = await record(orders(), get("A-2"), { file });
  expect(sessions.map(({ calls }) => calls[0]?.arguments)).toEqual([{ id: "A-1" }, { id: "A-2" }]);
  expect(warnings).toHaveLength(1);
});

test.each([
  ["not JSON", "nonsense\n", /:1 is not a line of a recording/],
  [
    "of another version",
    '{"type":"recording","version":9,"recording":"r","server":{}}\n',
    /has version 9 of the recording format/,
  ],
  ["empty", "", /is not a recording\. Make one with biplane record/],
  [
    "damaged",
    '{"type":"recording","version":1,"recording":"r","server":{}}\n{"type":"call"}\n{"type":"lists"}\n',
    /:2 lacks session, a string/,
  ],
])("a file that is %s is refused with its line", async (_, text, message) => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "sessions.jsonl");
  await writeFile(file, text + (text.startsWith("nonsense") ? "{}\n" : ""));
  await expect(readSessionRecordings([file])).rejects.toThrow(message);
});

test("several files are read as one recording", async () => {
  await using folder = await temporaryFolder();
  const files = ["one.jsonl", "two.jsonl"].map((name) => join(folder.path, name));
  for (const [at, file] of files.entries())
    await record(orders(), [async (client) => client.callTool("order_get", { id: `A-${at}` })], { file });
  const { sessions, lists } = await readSessionRecordings(files);
  expect(sessions.map(({ file }) => file)).toEqual(files);
  expect(lists.tools).toHaveLength(4);
});

test("labels are added to the file, and a later one counts", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "sessions.jsonl");
  const play = [async (client: Client) => client.callTool("order_get", { id: "A-1" })];
  const { sessions } = await record(orders(), play, { file });
  const id = sessions[0]?.id ?? "";
  labelSession(file, id, { task: "Look it up", split: "test" });
  labelSession(file, id, { split: "train" });
  expect((await readSessionRecordings([file])).sessions[0]?.label).toEqual({ task: "Look it up", split: "train" });
});
