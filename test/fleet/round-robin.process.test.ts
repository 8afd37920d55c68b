import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, it } from "vitest";
import { describePostgres } from "../support/describe-postgres.ts";
import { startReplicas } from "./replicas.ts";
import type { Replicas } from "./replicas.ts";

describePostgres("three replicas behind a balancer that sends each request to the next", (postgres) => {
  /** Plays the same on one replica and on three. */
  async function playTwice(play: (replicas: Replicas) => Promise<unknown>): Promise<{ one: unknown; three: unknown }> {
    const playOn = async (count: number) => {
      await using replicas = await startReplicas(await postgres().database(), count);
      return await play(replicas);
    };
    return { one: await playOn(1), three: await playOn(3) };
  }

  it("serve MCP sessions of the official client, with Eval Protocol's control plane", async () => {
    const { one, three } = await playTwice(async ({ fetch, url }) => {
      const transport = new StreamableHTTPClientTransport(new URL("/mcp", url), { fetch });
      const clientInfo = { name: "test", version: "1", session_id: "run-1", seed: 7, config: { goal: 12 } };
      const client = new Client(clientInfo);
      await client.connect(transport);
      const control = async (path: string) =>
        (await fetch(new URL(`/control/${path}`, url), { headers: { "mcp-session-id": "run-1" } })).json();
      const seen: unknown[] = [await control("initial_state"), (await client.listTools()).tools.length];
      for (const tool of ["roll", "add", "roll", "look"]) {
        const { content } = await client.callTool({ name: tool, arguments: {} });
        seen.push([content, await control("reward"), await control("status")]);
      }
      await transport.terminateSession();
      await client.close();
      return seen;
    });
    expect(three).toEqual(one);
    expect(three).toMatchSnapshot();
  });

  it("serve stateless MCP and REST in the episode of the caller", async () => {
    const { one, three } = await playTwice(async ({ fetch, url }) => {
      const meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const call = async (id: number) => {
        const response = await fetch(new URL("/mcp", url), {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": "tools/call",
            "mcp-name": "add",
          },
          body: JSON.stringify({
            jsonrpc: "2.0",
            id,
            method: "tools/call",
            params: { name: "add", arguments: {}, _meta: meta },
          }),
        });
        return ((await response.json()) as { result?: { content: unknown } }).result?.content;
      };
      const execute = async () => {
        const response = await fetch(new URL("/mcp/execute", url), {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ tool: "add", arguments: { by: 1 } }),
        });
        return ((await response.json()) as { result: unknown }).result;
      };
      return [await call(1), await call(2), await execute(), await call(3)];
    });
    expect(three).toEqual(one);
    expect(three).toMatchSnapshot();
  });

  it.each([{ name: undefined }, { name: "mine" }])(
    "serve OpenEnv's reset, step and state, for $name",
    async ({ name }) => {
      const { one, three } = await playTwice(async ({ fetch, url }) => {
        const post = async (path: string, body: object) => {
          const response = await fetch(new URL(path, url), {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ ...body, ...(name !== undefined && { episode_id: name }) }),
          });
          const { observation, reward, done } = (await response.json()) as Record<string, unknown>;
          const { metadata: _, ...seen } = observation as Record<string, unknown>;
          return { seen, reward, done };
        };
        const step = () => post("/step", { action: { type: "call_tool", tool_name: "roll", arguments: {} } });
        const seen: unknown[] = [await post("/reset", { seed: 3, goal: 14 })];
        for (let at = 0; at < 3; at++) seen.push(await step());
        const query = name === undefined ? "" : `?episode_id=${name}`;
        const state = (await (await fetch(new URL(`/state${query}`, url))).json()) as Record<string, unknown>;
        seen.push(state["step_count"]);
        seen.push(await post("/reset", { seed: 4 }), await step());
        return seen;
      });
      expect(three).toEqual(one);
      expect(three).toMatchSnapshot();
    },
  );

  it("serve OpenEnv's sessions over MCP", async () => {
    const { one, three } = await playTwice(async ({ fetch, url }) => {
      const send = async (method: string, params: object) => {
        const response = await fetch(new URL("/mcp", url), {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        });
        return (await response.json()) as { result: Record<string, unknown>; error?: { message: string } };
      };
      const { result } = await send("openenv/session/create", {});
      const session_id = result["session_id"];
      const seen: unknown[] = [];
      for (let at = 0; at < 3; at++) {
        const called = await send("tools/call", { name: "add", arguments: { by: 1 }, session_id });
        seen.push(called.result["data"]);
      }
      seen.push((await send("openenv/session/close", { session_id })).result["closed"]);
      const { error } = await send("tools/call", { name: "add", arguments: {}, session_id });
      return [...seen, error?.message.startsWith("Unknown session_id")];
    });
    expect(three).toEqual(one);
    expect(three).toMatchSnapshot();
  });

  it("create, step, fork and end episodes on the control plane", async () => {
    const { one, three } = await playTwice(async ({ fetch, url }) => {
      const send = async (method: string, path: string, body?: object) => {
        const response = await fetch(new URL(`/control/episodes${path}`, url), {
          method,
          headers: { "content-type": "application/json" },
          ...(body && { body: JSON.stringify(body) }),
        });
        return (await response.json()) as Record<string, unknown>;
      };
      const { id } = await send("POST", "", { seed: 5, config: { goal: 30 } });
      const roll = (episode: unknown) =>
        fetch(new URL(`/e/${String(episode)}/mcp/execute`, url), {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ tool: "roll" }),
        }).then((response) => response.json() as Promise<{ result: unknown }>);
      const rolled = [(await roll(id)).result, (await roll(id)).result];
      const { episodes } = (await send("POST", `/${String(id)}/fork`, {})) as { episodes: { id: string }[] };
      const [fork] = episodes;
      const both = [(await roll(id)).result, (await roll(fork?.id)).result];
      const rewards = [await send("GET", `/${String(id)}`), await send("GET", `/${fork?.id}`)];
      const ended = [await send("DELETE", `/${String(id)}`), await send("GET", `/${String(id)}`)];
      return [rolled, both, rewards.map(({ total_reward }) => total_reward), ended.map(({ ok, error }) => ok ?? error)];
    });
    expect(three).toEqual(one);
    expect(three).toMatchSnapshot();
  });
});
