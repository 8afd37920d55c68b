import { once } from "node:events";
import { WebSocket } from "ws";
import type { Environment } from "biplane";

export type Json = Record<string, unknown>;

/** What a step looked like from a handler: to the agent, and to the trainer. */
export interface Seen {
  readonly observation: unknown;
  readonly reward: unknown;
  readonly terminated: unknown;
  readonly truncated: unknown;
}

/** A way to play one episode. `raw` is every text that a data handler sent. */
export interface Player {
  step(tool: string, input: Json): Promise<Seen>;
  readonly raw: string[];
  readonly first: unknown;
  close(): Promise<void>;
}

export interface Start {
  readonly seed: number;
  readonly config: Json;
}

type Open = (environment: Environment, url: string, start: Start) => Promise<Player>;

const modernMeta = (episode?: string): Json => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  ...(episode !== undefined && { "dev.biplane/episode": episode }),
});

/** Every handler by which a step can come in. */
export const players: Readonly<Record<string, Open>> = {
  "in process": async (environment, _, start) => {
    const episode = await environment.start(start);
    const step = async (tool: string, input: Json) => {
      const observation = await environment.call(episode, tool, input);
      return { observation, reward: episode.last.reward, terminated: episode.terminated, truncated: episode.truncated };
    };
    return { step, raw: [], first: episode.firstObservation, close: () => environment.episodes.end(episode) };
  },

  "/ws step": async (_, url, { seed, config }) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
    await once(socket, "open");
    const send = async (frame: Json) => {
      socket.send(JSON.stringify(frame));
      const [data] = (await once(socket, "message")) as [Buffer];
      return (JSON.parse(data.toString()) as { data: Json }).data;
    };
    const { observation } = await send({ type: "reset", data: { seed, config } });
    const { reward: _reward, done: _done, metadata: _metadata, ...first } = observation as Json;
    const step = async (tool: string, input: Json) => {
      const answer = await send({ type: "step", data: { type: "call_tool", tool_name: tool, arguments: input } });
      const { data } = (answer["observation"] as { result: { data: unknown } }).result;
      const truncated = (answer["metadata"] as Json)["truncated"] ?? false;
      return {
        observation: data,
        reward: answer["reward"],
        terminated: Boolean(answer["done"]) && !truncated,
        truncated,
      };
    };
    return { step, raw: [], first, close: async () => socket.close() };
  },

  "/mcp of 2025-11-25, seeded by its greeting": async (_, url, { seed, config }) => {
    const raw: string[] = [];
    const id = `test-${seed}`;
    const headers: Record<string, string> = {};
    const clientInfo = { name: "reward-kit", version: "1.0.0", _extra: { session_id: id, seed, config } };
    const hello = await post(
      url,
      "/mcp/",
      rpc("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }),
      headers,
      raw,
    );
    headers["mcp-session-id"] = hello.sessionId ?? "";
    const control = controlPlane(url, id);
    const first = await control("initial_state");
    const step = async (tool: string, input: Json) => {
      const { body } = await post(url, "/mcp/", rpc("tools/call", { name: tool, arguments: input }), headers, raw);
      return { observation: structured(body), ...(await judged(control)) };
    };
    return { step, raw, first, close: async () => void (await fetch(`${url}/mcp`, { method: "DELETE", headers })) };
  },

  "/mcp of 2025-11-25, seeded beside the client's name": async (_, url, { seed, config }) => {
    const raw: string[] = [];
    const clientInfo = { name: "reward-kit", version: "1.0.0", session_id: `top-${seed}`, seed, config };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    const { sessionId } = await post(url, "/mcp/", rpc("initialize", params), {}, raw);
    const headers = { "mcp-session-id": sessionId ?? "" };
    const control = controlPlane(url, `top-${seed}`);
    const first = await control("initial_state");
    const step = async (tool: string, input: Json) => {
      const { body } = await post(url, "/mcp/", rpc("tools/call", { name: tool, arguments: input }), headers, raw);
      return { observation: structured(body), ...(await judged(control)) };
    };
    return { step, raw, first, close: async () => void (await fetch(`${url}/mcp`, { method: "DELETE", headers })) };
  },

  "/reset, then /step, without a name": async (_, url, { seed, config }) => {
    const { body, episode, close } = await reset(url, { seed, config });
    const { reward: _reward, done: _done, metadata: _metadata, ...first } = body["observation"] as Json;
    const step = async (tool: string, input: Json) => {
      const answer = (await post(url, "/step", { action: { tool_name: tool, arguments: input } })).body;
      const { data } = (answer["observation"] as { result: { data: unknown } }).result;
      return { observation: data, ...(await episode()) };
    };
    return { step, raw: [], first, close };
  },

  "/reset, then /mcp of 2026-07-28, without a name": async (_, url, { seed, config }) => {
    const { body, episode, close } = await reset(url, { seed, config });
    const { reward: _reward, done: _done, metadata: _metadata, ...first } = body["observation"] as Json;
    const raw: string[] = [];
    const step = async (tool: string, input: Json) => {
      const message = rpc("tools/call", { name: tool, arguments: input, _meta: modernMeta() });
      const answer = await post(url, "/mcp", message, mirrored("tools/call", tool), raw);
      return { observation: structured(answer.body), ...(await episode()) };
    };
    return { step, raw, first, close };
  },

  "/mcp of 2026-07-28, by the episode's name": async (_, url, start) => {
    const { id, first, episode, close } = await begin(url, start);
    const raw: string[] = [];
    const step = async (tool: string, input: Json) => {
      const message = rpc("tools/call", { name: tool, arguments: input, _meta: modernMeta(id) });
      const { body } = await post(url, "/mcp", message, mirrored("tools/call", tool), raw);
      return { observation: structured(body), ...(await episode()) };
    };
    return { step, raw, first, close };
  },

  "/e/<id>/mcp of 2026-07-28": async (_, url, start) => {
    const { id, first, episode, close } = await begin(url, start);
    const raw: string[] = [];
    const step = async (tool: string, input: Json) => {
      const message = rpc("tools/call", { name: tool, arguments: input, _meta: modernMeta() });
      const { body } = await post(url, `/e/${id}/mcp`, message, mirrored("tools/call", tool), raw);
      return { observation: structured(body), ...(await episode()) };
    };
    return { step, raw, first, close };
  },

  "/e/<id>/mcp of 2025-11-25": async (_, url, start) => {
    const { id, first, episode, close } = await begin(url, start);
    const raw: string[] = [];
    const clientInfo = { name: "stock", version: "1" };
    const path = `/e/${id}/mcp`;
    const hello = await post(
      url,
      path,
      rpc("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }),
      {},
      raw,
    );
    const headers = { "mcp-session-id": hello.sessionId ?? "" };
    const step = async (tool: string, input: Json) => {
      const { body } = await post(url, path, rpc("tools/call", { name: tool, arguments: input }), headers, raw);
      return { observation: structured(body), ...(await episode()) };
    };
    return { step, raw, first, close };
  },

  "/mcp/execute": async (_, url, start) => {
    const { id, first, episode, close } = await begin(url, start);
    const raw: string[] = [];
    const step = async (tool: string, input: Json) => {
      const { body } = await post(url, "/mcp/execute", { tool, arguments: input, episode: id }, {}, raw);
      return { observation: body["result"], ...(await episode()) };
    };
    return { step, raw, first, close };
  },
};

/** Begins an episode from the control plane, and reads its rewards there. */
async function begin(url: string, start: Start) {
  const response = await fetch(`${url}/control/episodes`, { method: "POST", body: JSON.stringify(start) });
  const { id, observation } = (await response.json()) as { id: string; observation: unknown };
  return { id, first: observation, ...watch(url, id) };
}

/** Begins the caller's own episode as OpenEnv does, and reads its rewards on the control plane. */
async function reset(url: string, start: Start) {
  const { body } = await post(url, "/reset", { ...start });
  const { episode_id } = body["metadata"] as { episode_id: string };
  return { body, ...watch(url, episode_id) };
}

function watch(url: string, id: string) {
  const episode = async () => {
    const { reward, terminated, truncated } = (await (await fetch(`${url}/control/episodes/${id}`)).json()) as Json;
    return { reward, terminated, truncated };
  };
  const close = async () => void (await fetch(`${url}/control/episodes/${id}`, { method: "DELETE" }));
  return { episode, close };
}

export function controlPlane(url: string, id: string): (what: string) => Promise<Json> {
  return async (what) =>
    (await (await fetch(`${url}/control/${what}`, { headers: { "mcp-session-id": id } })).json()) as Json;
}

async function judged(control: (what: string) => Promise<Json>) {
  const { reward } = await control("reward");
  const { terminated, truncated } = await control("status");
  return { reward, terminated, truncated };
}

export function rpc(method: string, params: Json): Json {
  return { jsonrpc: "2.0", id: 1, method, params };
}

export function mirrored(method: string, name?: string): Record<string, string> {
  return {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name !== undefined && { "mcp-name": name }),
  };
}

export async function post(
  url: string,
  path: string,
  body: Json,
  headers: Record<string, string> = {},
  raw: string[] = [],
) {
  const response = await fetch(url + path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
  });
  const text = await response.text();
  raw.push(text, JSON.stringify(Object.fromEntries(response.headers)));
  return { status: response.status, body: JSON.parse(text) as Json, sessionId: response.headers.get("mcp-session-id") };
}

function structured(body: Json): unknown {
  const { structuredContent, content } = body["result"] as { structuredContent?: unknown; content: { text: string }[] };
  return structuredContent ?? content[0]?.text;
}
