import { expect, it } from "vitest";
import { form, server, tool } from "biplane";
import { connect } from "biplane/client";
import { codeTool, javascriptEngine } from "biplane/code";
import { describePostgres } from "../support/describe-postgres.ts";
import type { Json } from "../wire/endpoints.ts";
import { startBalancer } from "./balancer.ts";
import { startFleetServer } from "./fleet-servers.ts";

describePostgres("sessions of MCP 2025-11-25 at several servers", (postgres) => {
  const database = () => postgres().database();

  it("take an answer, a cancellation and an end at another server than the call", async () => {
    const location = await database();
    const stopped: string[] = [];
    const question = form("Who?", { type: "object", properties: { name: { type: "string" } }, required: ["name"] });
    const create = () =>
      server({
        name: "asking",
        tools: [
          tool({
            name: "ask",
            interactive: true,
            run: async (_, call) => JSON.stringify(await call.ask("name", question)),
          }),
          tool({
            name: "wait",
            run: (_, { signal }) =>
              new Promise((_resolve, reject) => {
                signal.addEventListener("abort", () => {
                  stopped.push("wait");
                  reject(new Error("stopped"));
                });
              }),
          }),
        ],
      });
    await using first = await startFleetServer(location, create);
    await using second = await startFleetServer(location, create);
    const session = await initialize(first.url);
    const asking = await post(
      first.url,
      { id: 1, method: "tools/call", params: { name: "ask", arguments: {} } },
      session,
    );
    const events = eventsOf(asking);
    let asked: Json = {};
    while (asked["method"] !== "elicitation/create") asked = (await events.next()).value as Json;
    await post(second.url, { id: asked["id"], result: { action: "accept", content: { name: "Ada" } } }, session);
    let answer: Json = {};
    while (answer["id"] !== 1) answer = (await events.next()).value as Json;
    expect(JSON.stringify(answer)).toContain("Ada");

    const waiting = post(first.url, { id: 2, method: "tools/call", params: { name: "wait", arguments: {} } }, session);
    await expect
      .poll(async () => {
        await post(second.url, { method: "notifications/cancelled", params: { requestId: 2 } }, session);
        return stopped;
      })
      .toEqual(["wait"]);
    await (await waiting).body?.cancel();

    const ended = await fetch(`${second.url}/mcp`, { method: "DELETE", headers: { "mcp-session-id": session } });
    expect(ended.status).toBe(200);
    const list = { id: 3, method: "tools/list", params: {} };
    await expect.poll(async () => (await post(first.url, list, session)).status).toBe(404);
  });

  it("resume a stream at another server, also after the first one died", async () => {
    const location = await database();
    const releases: (() => void)[] = [];
    const create = () =>
      server({
        name: "streaming",
        tools: [
          tool({
            name: "count",
            run: async (_, call) => {
              call.progress(1);
              await new Promise<void>((resolve) => releases.push(resolve));
              call.progress(2);
              return "counted";
            },
          }),
        ],
      });
    await using first = await startFleetServer(location, create);
    await using second = await startFleetServer(location, create);
    const session = await initialize(first.url);
    const call = {
      id: 1,
      method: "tools/call",
      params: { name: "count", arguments: {}, _meta: { progressToken: "p" } },
    };
    const broken = await post(first.url, call, session);
    const seen = rawEvents(broken);
    let lastId = "";
    for (let text = ""; !text.includes('"progress":1');) {
      text = (await seen.next()).value as string;
      lastId = /^id: (.*)$/m.exec(text)?.[1] ?? lastId;
    }
    await broken.body?.cancel().catch(() => undefined);
    const resumed = await fetch(`${second.url}/mcp`, {
      headers: { accept: "text/event-stream", "mcp-session-id": session, "last-event-id": lastId },
    });
    releases[0]?.();
    const events = eventsOf(resumed);
    const messages: Json[] = [];
    for await (const message of events) messages.push(message);
    expect(messages).toMatchObject([
      { params: { progress: 2 } },
      { id: 1, result: { content: [{ text: "counted" }] } },
    ]);
    await first.vanish();
    const again = await fetch(`${second.url}/mcp`, {
      headers: { accept: "text/event-stream", "mcp-session-id": session, "last-event-id": lastId },
    });
    expect(await again.text()).toContain("counted");
  });

  it("keep the variables of code, wherever the code is sent", async () => {
    const location = await database();
    const engine = javascriptEngine();
    const create = () => {
      const coding = server({ name: "coding", tools: [tool({ name: "one", run: () => 1 })] });
      codeTool(coding, { engines: [engine] });
      return coding;
    };
    await using first = await startFleetServer(location, create);
    await using second = await startFleetServer(location, create);
    const session = await initialize(first.url);
    const run = async (url: string, code: string) => {
      const params = { name: "run_code", arguments: { code } };
      const response = await post(url, { id: 1, method: "tools/call", params }, session);
      for await (const message of eventsOf(response)) if (message["id"] === 1) return JSON.stringify(message["result"]);
    };
    await run(first.url, "globalThis.kept = 41");
    expect(await run(second.url, "return kept + 1")).toContain("42");
    expect(await run(first.url, "return kept + 2")).toContain("43");
    await engine.close();
  });

  it("let our own client go on where its connection broke, and run a tool once", async () => {
    const location = await database();
    let runs = 0;
    const releases: (() => void)[] = [];
    const count = async () => {
      const run = `run ${++runs}`;
      await new Promise<void>((resolve) => releases.push(resolve));
      return run;
    };
    const create = () => server({ name: "counting", tools: [tool({ name: "count", run: count })] });
    await using first = await startFleetServer(location, create);
    await using second = await startFleetServer(location, create);
    await using balancer = await startBalancer([first, second].map(({ url }) => Number(new URL(url).port)));
    for (const era of ["modern", "legacy"] as const) {
      await using client = await connect(`${balancer.url}/mcp`, { era });
      const before = runs;
      const counted = client.callTool("count");
      await expect.poll(() => releases.length).toBe(before + 1);
      balancer.cut();
      releases[before]?.();
      expect((await counted).content).toEqual([{ type: "text", text: `run ${before + 1}` }]);
      expect(runs).toBe(before + 1);
    }
  });
});

async function initialize(url: string): Promise<string> {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: { elicitation: {} },
    clientInfo: { name: "test", version: "1" },
  };
  const response = await post(url, { id: 0, method: "initialize", params });
  await response.text();
  return response.headers.get("mcp-session-id") ?? "";
}

function post(url: string, message: Json, session?: string): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(session !== undefined && { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
}

/** The messages of an answer, which is JSON or a stream of events. */
async function* eventsOf(response: Response): AsyncGenerator<Json> {
  if (response.headers.get("content-type")?.startsWith("application/json"))
    return yield (await response.json()) as Json;
  for await (const text of rawEvents(response)) {
    const data = /^data: (.+)$/m.exec(text)?.[1];
    if (data !== undefined) yield JSON.parse(data) as Json;
  }
}

async function* rawEvents(response: Response): AsyncGenerator<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      yield text.slice(0, end);
      text = text.slice(end + 2);
    }
  }
}
