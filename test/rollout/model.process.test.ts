import { spawn } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { environment } from "biplane";
import { expect, test } from "vitest";
import { openStore } from "biplane/store";
import type { SqlStore } from "biplane/store";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { openaiAgent, openaiChatModel } from "../../packages/biplane/src/rollout/agent/openai.ts";
import type { OpenAIOptions } from "../../packages/biplane/src/rollout/agent/openai.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { readTraces } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { simulatedUsers } from "../../packages/biplane/src/rollout/user.ts";
import { limit } from "../support/runs.ts";
import { ModelServer, walker } from "./model-server.ts";
import type { Said, Trouble } from "./model-server.ts";
import { playAll, solution } from "./playing.ts";
import { bundledScript } from "../support/bundled-script.ts";

const quick = { sleep: async () => undefined };

async function playWith(server: ModelServer, more: Partial<OpenAIOptions> = {}, seeds: readonly number[] = [42]) {
  await using lake = frozenLake();
  const agent = openaiAgent({ model: "test-model", baseUrl: server.baseUrl, ...quick, ...more });
  return playAll(lake, seedRows(seeds), { agent });
}

test.each([true, false])("a model crosses the lake, streaming: %s", async (stream) => {
  await using server = await ModelServer.open({ say: walker(solution) });
  const prices = { input: 1, output: 2 };
  const parameters = { temperature: 0.5 };
  const [row] = await playWith(server, { stream, prices, parameters, apiKey: async () => "a secret key" });
  expect(row?.trace).toMatchObject({ totalReward: 1, ending: { reason: "control_plane_signal" }, model: "test-model" });
  expect(row?.trace.usage).toEqual({ prompt_tokens: 60, completion_tokens: 30, total_tokens: 90 });
  expect(row?.trace.cost).toBeCloseTo(120e-6);
  expect(server.asked[0]).toMatchObject({
    model: "test-model",
    temperature: 0.5,
    tools: [{ function: { name: "lake_move" } }],
  });
  expect(server.keys[0]).toBe("Bearer a secret key");
  expect(JSON.stringify(row?.trace)).not.toContain("a secret key");
  const sent = JSON.stringify(server.asked.map(({ messages }) => messages));
  for (const word of ["reward", "terminated", "control_plane", "metadata"]) expect(sent).not.toContain(word);
});

test("several calls in one turn are made in order", async () => {
  await using server = await ModelServer.open({ say: walker(solution, 3) });
  const [row] = await playWith(server);
  expect([row?.trace.totalReward, row?.trace.steps.length, server.asked.length]).toEqual([1, 6, 2]);
});

test.each<[string, Trouble[], number]>([
  ["limits", [429, 429], 2],
  ["fails", [500, 503], 2],
  ["cuts the connection", ["cut"], 1],
  ["breaks off in the middle", ["half", "half"], 2],
  ["tells of an error in the stream", ["error event"], 1],
])("a model that %s is asked again, and the rollout knows nothing of it", async (_, troubles, retries) => {
  await using server = await ModelServer.open({ say: walker(solution), trouble: (request) => troubles[request] });
  const [row] = await playWith(server);
  expect(row?.trace).toMatchObject({ totalReward: 1, ending: { reason: "control_plane_signal" } });
  expect(row?.trace.steps[0]?.retries).toBe(retries);
});

test("pauses between attempts grow and are never the same for two", async () => {
  await using server = await ModelServer.open({ say: walker(solution), trouble: () => 500 });
  const pauses: number[] = [];
  const [row] = await playWith(server, { retries: 4, sleep: async (ms) => void pauses.push(ms), random: () => 0.5 });
  expect(pauses).toEqual([250, 500, 1000, 2000]);
  expect(row?.trace.ending).toMatchObject({ reason: "error", kind: "model" });
  expect(row?.trace.ending.message).toContain("failed after 4 retries");
});

test("a model that refuses is not asked again, and the key is not revealed", async () => {
  await using server = await ModelServer.open({ say: walker(solution), trouble: () => 401 });
  const [row] = await playWith(server, { apiKey: "a secret key" });
  expect(row?.trace.ending).toMatchObject({ kind: "model", message: expect.stringContaining("answered 401") });
  expect([server.asked.length, JSON.stringify(row?.trace).includes("a secret key")]).toEqual([1, false]);
});

test("a model that is late is given up after its time", async () => {
  await using server = await ModelServer.open({ say: walker(solution) });
  const never: typeof fetch = (_, init) =>
    new Promise((__, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error)));
  const [row] = await playWith(server, { fetch: never, timeoutMs: 20, retries: 1 });
  expect(row?.trace.ending).toMatchObject({ reason: "error", kind: "timeout" });
});

test.each<[string, Said, RegExp]>([
  ["broken JSON", { calls: [{ name: "lake_move", arguments: '{"action": "DO' }] }, /not valid JSON/],
  ["no name", { calls: [{ name: "", arguments: "{}" }] }, /unknown/],
  ["arguments that do not fit", { calls: [{ name: "lake_move", arguments: '{"action":"FLY"}' }] }, /action/],
])("a call with %s is answered, and the model mends it", async (_, bad, message) => {
  const walk = walker(solution);
  let asked = 0;
  await using server = await ModelServer.open({ say: (request) => (asked++ === 0 ? bad : walkPast(walk, request)) });
  const [row] = await playWith(server);
  expect(JSON.stringify(row?.messages[2]?.content)).toMatch(message);
  expect(row?.trace.totalReward).toBe(1);
});

test("an unknown finish reason does not fail the rollout", async () => {
  await using server = await ModelServer.open({ say: () => ({ content: "No.", finishReason: "content_filter" }) });
  const [row] = await playWith(server);
  expect(row?.trace.ending).toMatchObject({ reason: "stop", finishReason: "content_filter" });
});

/** A server whose answers never end. */
function endless(status: number, type: string, piece: string) {
  return (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, { "content-type": type });
    response.write(type === "application/json" ? '{"choices": "' : "");
    const send = () => {
      while (response.write(piece));
      response.once("drain", send);
    };
    send();
  };
}

const words = { choices: [{ index: 0, delta: { content: "x".repeat(100_000) } }] };
const calls = { choices: [{ index: 0, delta: { tool_calls: Array.from({ length: 5000 }, () => ({})) } }] };
const bulk = "x".repeat(100_000);

test.each([
  ["a reply", endless(200, "application/json", bulk)],
  ["a stream of words", endless(200, "text/event-stream", `data: ${JSON.stringify(words)}\n\n`)],
  ["a stream of calls", endless(200, "text/event-stream", `data: ${JSON.stringify(calls)}\n\n`)],
  ["an error", endless(400, "text/plain", bulk)],
])("a model server that sends %s without end fails the rollout", async (_, answer) => {
  await using server = await ModelServer.open({ say: () => ({}), answer });
  const [row] = await playWith(server);
  expect(row?.trace.ending).toMatchObject({ reason: "error", kind: "model" });
  expect(row?.trace.ending.message).toMatch(/reply is longer than 16777216 characters|answered 400/);
});

test("the API key is not in the trace, even if the model server repeats it", async () => {
  const answer = (request: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(400).end(`invalid header ${request.headers.authorization}`);
  await using server = await ModelServer.open({ say: () => ({}), answer });
  const [row] = await playWith(server, { apiKey: "sk-planted-0123456789" });
  expect(row?.trace.ending.message).toContain("invalid header Bearer [REDACTED:API_KEY]");
  expect(JSON.stringify(row?.trace)).not.toContain("planted");
});

test("a model that writes code acts by code", async () => {
  await using kit = environment({
    name: "kit",
    version: "1.0.0",
    start: () => ({ ran: "" }),
    observe: ({ ran }) => ({ ran }),
    tools: (tool) => ({
      run_code: tool({
        description: "Functions: add(a, b)",
        input: { type: "object", properties: { code: { type: "string" } }, required: ["code"] },
        run: ({ code }, { state }) => {
          state.ran = code;
          return { result: 3, stdout: "", calls: [{ tool: "add", outcome: "done" }] };
        },
        composite: true,
      }),
    }),
  });
  const script = ["I add.\n```js\nadd(1, 2)\n```", "It is 3."];
  await using server = await ModelServer.open({
    say: ({ messages }) => ({ content: script[messages.filter(({ role }) => role === "assistant").length] ?? "" }),
  });
  const agent = openaiAgent({ model: "m", baseUrl: server.baseUrl, toolStyle: "code" });
  const [row] = await playAll(kit, [{ messages: [{ role: "user", content: "1 + 2?" }] }], { agent });
  expect(row?.trace.ending.reason).toBe("stop");
  expect(row?.trace.steps[0]?.call).toMatchObject({
    tool: "run_code",
    input: { code: "add(1, 2)\n" },
    inner: [{ tool: "add" }],
  });
  expect(server.asked[0]?.tools).toBeUndefined();
  expect(server.asked[0]?.messages[0]?.content).toContain("add(a, b)");
  expect(server.asked[1]?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
});

test("a model plays the user, with the roles swapped and without tool calls", async () => {
  await using lake = frozenLake();
  const lines = ["Please begin.", "Thank you ###STOP###"];
  await using user = await ModelServer.open({ say: () => ({ content: lines.shift() ?? "" }) });
  await using server = await ModelServer.open({ say: walker(["LEFT"]) });
  const speaker = openaiChatModel({ model: "u", baseUrl: user.baseUrl });
  const row = {
    messages: [{ role: "system", content: "Play." }],
    input_metadata: {
      dataset_info: {
        environment_context: { seed: 42 },
        user_simulation: { enabled: true, system_prompt: "You are in a hurry.", llm: "user-model" },
      },
    },
  };
  const agent = openaiAgent({ model: "m", baseUrl: server.baseUrl });
  const [played] = await playAll(lake, [row], { agent, user: simulatedUsers(speaker) });
  expect(played?.trace.ending.reason).toBe("user_stop");
  expect(user.asked[0]).toMatchObject({ model: "user-model", temperature: 0 });
  const said = user.asked.at(-1)?.messages ?? [];
  expect(said[0]?.content).toBe("You are in a hurry.");
  expect(said.map(({ role }) => role).at(-1)).toBe("user");
  expect(JSON.stringify(said)).not.toContain("lake_move");
});

const isSoak = process.env["BIPLANE_SOAK"] === "1";

test(
  "many rollouts against a model that limits, cuts and garbles all finish, each row once",
  async () => {
    const count = isSoak ? 1000 : 100;
    const walk = walker(solution);
    const troubles: Trouble[] = [
      429,
      "cut",
      undefined,
      500,
      undefined,
      "half",
      undefined,
      undefined,
      undefined,
      undefined,
    ];
    await using server = await ModelServer.open({
      say: (asked) => (asked.messages.length % 7 === 3 && Math.random() < 0.3 ? garbled : walkPast(walk, asked)),
      trouble: (request) => (request % 3 === 0 ? troubles[Math.floor(request / 3) % troubles.length] : undefined),
    });
    await using lake = frozenLake();
    await using store = await openStore(":memory:");
    const agent = openaiAgent({ model: "m", baseUrl: server.baseUrl, ...quick, retries: 12 });
    const seeds = Array.from({ length: count }, () => 42);
    const rows = await playAll(lake, seedRows(seeds), { agent, concurrency: 128, steps: 30, store, run: "many" });
    expect(rows.map(({ trace }) => trace.index)).toEqual(seeds.map((_, at) => at));
    expect(new Set(rows.map(({ trace }) => trace.totalReward))).toEqual(new Set([1]));
    expect(await readTraces(store, "many")).toHaveLength(count);
    expect(lake.episodes.size).toBe(0);
  },
  limit(30_000),
);

test(
  "killed half way and resumed, no row is lost and none is done twice",
  async () => {
    const count = isSoak ? 1000 : 40;
    const folder = await mkdtemp(join(tmpdir(), "biplane-kill-"));
    const file = join(folder, "runs.db");
    await using server = await ModelServer.open({
      say: walker(solution),
      trouble: (request) => (request % 11 === 5 ? 429 : undefined),
    });
    const start = (...more: string[]) => {
      const script = bundledScript(new URL("resume-child.ts", import.meta.url));
      const words = [script, file, server.baseUrl, String(count), ...more];
      return spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
    };
    const first = start();
    const told: string[] = [];
    for await (const line of createInterface(first.stdout)) {
      told.push(line);
      if (told.length === Math.floor(count / 3)) first.kill("SIGKILL");
    }
    const second = start("resume");
    const after: string[] = [];
    for await (const line of createInterface(second.stdout)) after.push(line);
    if (second.exitCode === null) await once(second, "exit");
    await using store = await openStore(file);
    const traces = await readTraces(store, "the-run");
    expect(traces.map(({ index }) => index).sort((a, b) => a - b)).toEqual(
      Array.from({ length: count }, (_, at) => at),
    );
    expect(
      traces.every(({ totalReward, ending }) => totalReward === 1 && ending.reason === "control_plane_signal"),
    ).toBe(true);
    expect(told.length).toBeGreaterThanOrEqual(Math.floor(count / 3));
    expect(new Set([...told, ...after]).size).toBe(told.length + after.length);
    const ends = await endsIn(store);
    expect([ends.length, new Set(ends).size]).toEqual([count, count]);
    await rm(folder, { recursive: true });
  },
  limit(40_000),
);

async function endsIn({ db }: SqlStore): Promise<number[]> {
  const lines = await db.selectFrom("trace_events").select("line").where("run", "=", "the-run").execute();
  return lines.flatMap(({ line }) => {
    const event = JSON.parse(line) as { type: string; index: number };
    return event.type === "end" ? [event.index] : [];
  });
}

const garbled: Said = { calls: [{ name: "lake_move", arguments: '{"action": DOWN}' }] };

/** Goes on as if the calls that failed had not been made. */
function walkPast(
  walk: (asked: never) => Said,
  asked: { messages: readonly { role: string; content: unknown }[] },
): Said {
  const messages = asked.messages.filter(
    ({ role, content }) => role !== "tool" || String(content).includes('"position"'),
  );
  return walk({ ...asked, messages } as never);
}
