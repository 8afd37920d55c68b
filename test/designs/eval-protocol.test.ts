import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { make, openaiAgent, rollout } from "biplane/rollout";
import { gallery } from "@biplane/gallery";
import { ModelServer, walker } from "../rollout/model-server.ts";
import { lakeMoves, solution } from "../rollout/playing.ts";

const lake = gallery["frozen-lake"]?.() ?? expect.fail("there is no frozen-lake");
let url = "";
beforeAll(async () => void ({ url } = await lake.serve("http://127.0.0.1:0")));
afterAll(() => lake.close());

/** `GET /control/<what>` or `POST`, with the header of a session. */
async function control(what: string, init: RequestInit = {}, session = "row-1") {
  const response = await fetch(`${url}/control/${what}`, { ...init, headers: { "mcp-session-id": session } });
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    body: (await response.json()) as Record<string, unknown>,
  };
}

/** Opens a session of MCP with this `clientInfo`, and gives a function that calls a tool in it. */
async function initialize(clientInfo: object) {
  const send = async (message: object, headers: Record<string, string> = {}) =>
    fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
    });
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const session = (await send({ method: "initialize", params })).headers.get("mcp-session-id") ?? "";
  return async (name: string, input: object) => {
    const called = await send(
      { method: "tools/call", params: { name, arguments: input } },
      { "mcp-session-id": session },
    );
    return ((await called.json()) as { result: { content: { type: string; text: string }[] } }).result;
  };
}

const extras = (session_id: string) => ({ session_id, seed: 42, config: { map_name: "4x4" }, model_id: "my-model" });
const json = { status: 200, type: "application/json" };

describe("the control plane", () => {
  test("answers its four endpoints as the example responses do", async () => {
    const call = await initialize({ name: "ep", version: "1", _extra: extras("row-1") });
    const first = await control("initial_state");
    expect(first).toMatchObject({ ...json, body: { position: 0, grid: expect.any(String) } });
    for (const { tool, input } of lakeMoves(solution)) await call(tool, input);
    expect(await control("reward")).toMatchObject({ ...json, body: { reward: 1 } });
    expect(await control("status")).toMatchObject({ ...json, body: { terminated: true, truncated: false } });
    for (const seed of [7, 7, null]) {
      const reset = { method: "POST", body: JSON.stringify({ seed }) };
      expect(await control("reset_session", reset)).toEqual({ ...json, body: { ok: true } });
    }
    expect(await control("status")).toMatchObject({ body: { terminated: false, truncated: false } });
    expect(await control("initial_state")).toMatchObject({ body: { position: 0 } });
  });

  test("the tool's result is the observation as JSON text, with neither reward nor ending", async () => {
    const call = await initialize({ name: "ep", version: "1", _extra: extras("row-text") });
    const { content } = await call("lake_move", { action: "DOWN" });
    expect(content).toEqual([{ type: "text", text: expect.any(String) }]);
    const observation = JSON.parse(content[0]?.text ?? "") as object;
    expect(observation).toMatchObject({ position: 4 });
    expect(Object.keys(observation)).not.toEqual(expect.arrayContaining(["reward"]));
    expect(JSON.stringify(observation)).not.toMatch(/reward|terminated|truncated/);
    const { body } = await control("initial_state", {}, "row-text");
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(["reward", "terminated", "truncated"]));
    for (const what of ["reward", "status"])
      expect(JSON.stringify((await control(what, {}, "row-text")).body)).not.toMatch(/grid|position/);
  });

  test("session_id, seed and config are read from the top of clientInfo, too", async () => {
    const call = await initialize({ name: "ep", version: "1", ...extras("row-top") });
    for (const { tool, input } of lakeMoves(solution)) await call(tool, input);
    expect(await control("reward", {}, "row-top")).toMatchObject({ ...json, body: { reward: 1 } });
  });

  test("one server serves one row run after run, without a restart in between", async () => {
    for (let run = 0; run < 2; run++) {
      const call = await initialize({ name: "ep", version: "1", _extra: extras("row-again") });
      expect(await control("status", {}, "row-again")).toMatchObject({ body: { terminated: false } });
      for (const { tool, input } of lakeMoves(solution)) await call(tool, input);
      expect(await control("reward", {}, "row-again")).toMatchObject({ body: { reward: 1 } });
    }
  });
});

describe("the minimal client", () => {
  const rows = [
    {
      messages: [{ role: "system", content: "Use tools to help the user." }],
      input_metadata: {
        dataset_info: {
          user_prompt_template: "Observation: {observation}",
          environment_context: { seed: 42 },
        },
      },
    },
  ];
  let folder = "";
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "biplane-eval-"))));
  afterAll(() => rm(folder, { recursive: true }));

  /** The example, line by line: rows, `make`, a policy, `rollout`, and what it prints. */
  async function run(log: string) {
    await using model = await ModelServer.open({ say: walker(solution) });
    await using envs = await make(`${url}/mcp`, { rows, modelId: "my-model" });
    const policy = openaiAgent({ model: "gpt-4o-mini", baseUrl: model.baseUrl });
    const played = [];
    for await (const row of rollout(envs, { agent: policy, steps: 64, openaiFormatLogFile: log, env: {} }))
      played.push(row);
    return { played, model };
  }

  test("plays its row over MCP with a model, and logs the terminated conversation", async () => {
    const log = join(folder, "terminated.jsonl");
    const { played, model } = await run(log);
    expect(played.map(({ trace }) => [trace.totalReward, trace.ending.reason])).toEqual([[1, "control_plane_signal"]]);
    expect(model.asked[0]).toMatchObject({
      model: "gpt-4o-mini",
      messages: [
        { role: "system", content: "Use tools to help the user." },
        { role: "user", content: expect.stringMatching(/^Observation: \{.*"position":0/) },
      ],
      tools: [{ function: { name: "lake_move" } }],
    });
    expect((await readFile(log, "utf8")).trim().split("\n")).toHaveLength(1);
  });
});
