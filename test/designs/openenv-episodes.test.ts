import { expect, test } from "vitest";
import { allow, environment, server } from "biplane";
import type { Environment } from "biplane";
import { connect } from "biplane/client";
import { openSocket } from "../wire/openenv/socket.ts";

const results = [1, 2, 3, 4, 5].map((at) => `python patterns ${at}`);

/** The tools of RFC 003's examples. The reward is the number of steps so far, and the fourth step ends the episode. */
function research(mode: "simulation" | "production" = "simulation"): Environment {
  return environment({
    name: "research",
    mode,
    policies: [() => allow()],
    start: () => ({ calls: 0 }),
    observe: ({ calls }) => ({ calls }),
    tools: (tool) => ({
      search_web: tool({
        description: "Search the web for information",
        input: {
          type: "object",
          properties: { query: { type: "string" }, max_results: { type: "integer", default: 5 } },
          required: ["query"],
        },
        run: ({ query, max_results: count = 5 }, { state }) => {
          state.calls++;
          return { results: Array.from({ length: count }, (_, at) => `${query} ${at + 1}`) };
        },
      }),
      read_text_file: tool({
        description: "Read a file as text",
        input: {
          type: "object",
          properties: { path: { type: "string" }, head: { type: "integer" } },
          required: ["path"],
        },
        run: ({ path, head }) => `${path} ${head}`,
      }),
    }),
    reward: ({ after }) => after.calls,
    status: ({ calls }) => ({ terminated: calls >= 4 }),
  });
}

/** `POST http://localhost:8000<path>` with a JSON body, as the RFC writes it. */
async function POST(url: string, body: string): Promise<Record<string, unknown>> {
  const headers = { "content-type": "application/json" };
  return (await (await fetch(url, { method: "POST", body, headers })).json()) as Record<string, unknown>;
}

const toolsCall =
  '{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "search_web", "arguments": {"query": "python patterns", "max_results": 5}}, "id": 2}';

test.each(["simulation", "production"] as const)(
  "in %s, POST /mcp with tools/call needs no episode's name, and tells no reward",
  async (mode) => {
    await using subject = research(mode);
    const { url } = await subject.serve("http://127.0.0.1:0");
    const answer = await POST(`${url}/mcp`, toolsCall);
    expect(answer).toMatchObject({ jsonrpc: "2.0", result: { structuredContent: { results } }, id: 2 });
    expect(JSON.stringify(answer)).not.toMatch(/reward|done/);
  },
);

test("in production a caller goes on with a new episode after its last one has ended", async () => {
  await using subject = research("production");
  const { url } = await subject.serve("http://127.0.0.1:0");
  const answers = [];
  for (let at = 0; at < 6; at++) answers.push((await POST(`${url}/mcp`, toolsCall))["result"]);
  expect(answers[4]).toMatchObject({ isError: true });
  expect(answers[5]).toMatchObject({ structuredContent: { results } });
});

test("POST /reset, then POST /step twice, go on in one episode", async () => {
  await using subject = research();
  const { url } = await subject.serve("http://127.0.0.1:0");
  await POST(`${url}/reset`, "{}");
  const action = '{"action": {"tool_name": "search_web", "parameters": {"query": "a"}}}';
  expect(await POST(`${url}/step`, action)).toMatchObject({ reward: 1 });
  expect(await POST(`${url}/step`, action)).toMatchObject({ reward: 2 });
});

test("each entry of obs.tools has name, description and inputSchema", async () => {
  await using subject = research();
  const { send } = await openSocket((await subject.serve("http://127.0.0.1:0")).url);
  const { data } = await send({ type: "step", data: { type: "list_tools" } });
  const { tools } = data["observation"] as { tools: object[] };
  expect(tools).toMatchObject([
    { name: "search_web", description: "Search the web for information", inputSchema: { required: ["query"] } },
    { name: "read_text_file", description: "Read a file as text", inputSchema: { required: ["path"] } },
  ]);
});

test("ToolCallAction has its tool's arguments beside the tool's name", async () => {
  await using subject = research();
  const { send } = await openSocket((await subject.serve("http://127.0.0.1:0")).url);
  await send({ type: "reset" });
  const action = { tool: "read_text_file", path: "~/file.txt", head: 100 };
  const { data } = await send({ type: "step", data: action });
  expect(data).toMatchObject({ observation: { result: { data: "~/file.txt 100" } }, reward: 0, done: false });
});

test("an environment is a child of a parent server, which delegates to it, and each caller has an episode", async () => {
  await using child = research();
  await using parent = server({ name: "parent", limits: false });
  parent.mount("research", child);
  const { url } = await parent.serve("http://127.0.0.1:0");
  await using first = await connect(`${url}/mcp`, { era: "legacy" });
  await using second = await connect(`${url}/mcp`, { era: "legacy" });
  const call = { query: "python patterns", max_results: 5 };
  for (const client of [first, second, first])
    expect(await client.callTool("search_web", call)).toMatchObject({ structuredContent: { results } });
  expect(Array.from(child.episodes, ({ stepCount }) => stepCount).sort((one, other) => one - other)).toEqual([1, 2]);
});

test("a client talks to an environment of its own process without a network", async () => {
  await using subject = research();
  await using client = await connect(subject);
  const answer = await client.callTool("search_web", { query: "python patterns", max_results: 5 });
  expect(answer).toMatchObject({ structuredContent: { results } });
});
