import { connect } from "node:net";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { environment } from "biplane";
import type { Environment } from "biplane";
import { describePostgres } from "../support/describe-postgres.ts";
import type { Json } from "../wire/endpoints.ts";
import { startFleetServer } from "./fleet-servers.ts";
import type { FleetServer } from "./fleet-servers.ts";

describePostgres("episodes that live in one of several processes", (postgres) => {
  async function startTwo(create: () => Environment): Promise<[FleetServer, FleetServer]> {
    const location = await postgres().database();
    return [await startFleetServer(location, create), await startFleetServer(location, create)];
  }

  it("are played over REST and MCP from any of them", async () => {
    const opened: object[] = [];
    const [first, second] = await startTwo(() => liveCounter(opened));
    await using _ = first;
    await using __ = second;
    const seen: unknown[] = [];
    for (let at = 0; at < 6; at++) {
      const { url } = at % 2 ? first : second;
      const answer = await post(`${url}/mcp/execute`, { tool: "add", arguments: {} });
      seen.push(answer["result"]);
    }
    expect(seen).toEqual(["1", "2", "3", "4", "5", "6"]);
    const { result } = (await first.ask("tools/call", { name: "add", arguments: {} })) as { result: Json };
    expect(result["content"]).toEqual([{ type: "text", text: "7" }]);
    expect(opened).toHaveLength(1);
  });

  it("are found by the id of their session, also over a WebSocket", async () => {
    const opened: object[] = [];
    const [first, second] = await startTwo(() => liveCounter(opened));
    await using _ = first;
    await using __ = second;
    const created = await post(`${first.url}/mcp`, rpc("openenv/session/create", {}));
    const session_id = (created["result"] as Json)["session_id"] as string;
    const call = rpc("tools/call", { session_id, name: "add", arguments: {} });
    for (const { url } of [second, first, second]) expect(await post(`${url}/mcp`, call)).toHaveProperty("result");
    const socket = new WebSocket(`${second.url.replace("http", "ws")}/ws?session_id=${session_id}`);
    await new Promise((resolve) => socket.once("open", resolve));
    socket.send(JSON.stringify({ type: "step", data: { type: "call_tool", tool_name: "add", arguments: {} } }));
    const message = await new Promise<string>((resolve) =>
      socket.once("message", (data) => resolve((data as Buffer).toString())),
    );
    expect(message).toContain("4");
    socket.close();
    expect(opened).toHaveLength(1);
  });

  it("are played in sessions of ORS and NeMo Gym from any of them", async () => {
    const opened: object[] = [];
    const [first, second] = await startTwo(() => liveCounter(opened));
    await using _ = first;
    await using __ = second;
    const sid = { "x-session-id": "s1" };
    await post(`${first.url}/create`, { split: "train", index: 0 }, sid);
    expect(await post(`${second.url}/ping`, {}, sid)).toEqual({ status: "ok" });
    for (const [at, { url }] of [second, first, second].entries()) {
      const headers = { "content-type": "application/json", ...sid };
      const call = await fetch(`${url}/call`, { method: "POST", headers, body: '{"name":"add","input":{}}' });
      expect(await call.text()).toContain(`"text":"${at + 1}"`);
    }
    await post(`${second.url}/delete`, {}, sid);
    const episode_id = { rollout_id: "r" };
    const seed = { resources_session_id: "n1", episode_id, task_id: { taskset: "t", task_id: "0" }, task_data: {} };
    await post(`${first.url}/seed_session`, seed);
    const cookie = { cookie: "biplane_session=n1" };
    const counted: unknown[] = [];
    for (const { url } of [second, first, second]) counted.push(await post(`${url}/add`, {}, cookie));
    expect(counted).toEqual([1, 2, 3]);
    expect(await post(`${second.url}/verify`, {}, cookie)).toMatchObject({ failure_kind: "biplane:no_reward" });
    await post(`${first.url}/close_session`, { resources_session_id: "n1", episode_id });
    expect(opened).toHaveLength(2);
  });

  it("are lost with their process, and say so once", async () => {
    const [first, second] = await startTwo(() => liveCounter([]));
    await using _ = first;
    await using __ = second;
    await post(`${first.url}/mcp/execute`, { tool: "add", arguments: {} });
    await first.vanish();
    const answers: unknown[] = [];
    for (let at = 0; at < 20 && answers.at(-1) !== "1"; at++) {
      const answer = await post(`${second.url}/mcp/execute`, { tool: "add", arguments: {} });
      answers.push(answer["error"] ?? answer["result"]);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(answers.filter((each) => each !== "CAPACITY")).toEqual(["EPISODE_ENDED", "1"]);
  });

  it("are continued elsewhere if they can be saved, and no step is played twice", async () => {
    const opened: { count: number }[] = [];
    const create = () => savedCounter(opened);
    const [first, second] = await startTwo(create);
    await using _ = first;
    await using __ = second;
    for (const { url } of [first, second, first]) await post(`${url}/mcp/execute`, { tool: "add", arguments: {} });
    expect(opened).toHaveLength(1);
    await first.vanish();
    let answer: Json = {};
    for (let at = 0; at < 20 && answer["result"] === undefined; at++) {
      answer = await post(`${second.url}/mcp/execute`, { tool: "add", arguments: {} });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(answer["result"]).toBe("4");
  });

  it("send on no header that belongs to one connection", async () => {
    const [first, second] = await startTwo(() => liveCounter([]));
    await using _ = first;
    await using __ = second;
    const created = await post(`${first.url}/mcp`, rpc("openenv/session/create", {}));
    const session_id = (created["result"] as Json)["session_id"] as string;
    const call = JSON.stringify(rpc("tools/call", { session_id, name: "add", arguments: {} }));
    const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\n`;
    for (const more of [
      `Trailer: x\r\nContent-Length: ${call.length}\r\n\r\n${call}`,
      `TE: trailers\r\nTransfer-Encoding: chunked\r\n\r\n${call.length.toString(16)}\r\n${call}\r\n0\r\n\r\n`,
    ])
      expect(await exchange(Number(new URL(second.url).port), head + more)).toContain("HTTP/1.1 200");
  });

  it("accept no request that another process did not sign", async () => {
    const [first, second] = await startTwo(() => liveCounter([]));
    await using _ = first;
    await using __ = second;
    await post(`${first.url}/mcp/execute`, { tool: "add", arguments: {} });
    const claims = Buffer.from(JSON.stringify({ address: "1.2.3.4", bodyHash: "", expires: Date.now() + 60_000 }));
    const forged = `${claims.toString("base64url")}.${"A".repeat(43)}`;
    const answer = await post(
      `${second.url}/mcp/execute`,
      { tool: "add", arguments: {} },
      { "biplane-forwarded": forged },
    );
    // It is served like any other request: the owner answers.
    expect(answer["result"]).toBe("2");
  });
});

/** Holds something that cannot be saved. */
function liveCounter(opened: object[]): Environment {
  return environment({
    name: "live-counter",
    open: () => {
      const live = { count: 0 };
      opened.push(live);
      return live;
    },
    start: () => ({}),
    observe: () => "",
    tools: (tool) => ({ add: tool({ run: (_, { live }) => String(++live.count) }) }),
  });
}

/** Holds something that can be saved. */
function savedCounter(opened: { count: number }[]): Environment {
  const open = (count = 0) => {
    const live = { count };
    opened.push(live);
    return live;
  };
  return environment({
    name: "saved-counter",
    open: () => open(),
    save: ({ count }) => count,
    load: (count) => open(Number(count)),
    start: () => ({}),
    observe: () => "",
    tools: (tool) => ({ add: tool({ run: (_, { live }) => String(++live.count) }) }),
  });
}

async function post(url: string, body: Json, headers: Record<string, string> = {}): Promise<Json> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Json;
}

/** Sends bytes, and returns what comes back until the connection closes. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(bytes);
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  return text;
}

function rpc(method: string, params: Json): Json {
  return { jsonrpc: "2.0", id: 1, method, params };
}
