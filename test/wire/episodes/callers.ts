import { once } from "node:events";
import { WebSocket } from "ws";
import type { Json } from "../../environment/endpoints.ts";
import { mirrored, post, rpc } from "../../environment/endpoints.ts";
import { openSocket } from "../openenv/socket.ts";

/** A caller that names no episode. */
export interface Caller {
  /** The result of a tool call, or the text of its error. */
  readonly call: (name: string, input?: Json) => Promise<unknown>;
  /** For a caller with a session: its id on the control plane. */
  readonly session?: string;
}

type Open = (url: string, headers?: Record<string, string>) => Promise<Caller>;

export const modernMeta: Json = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

const hello = rpc("initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "stock", version: "1" },
});

/** Callers that have an episode for each session or connection. */
export const apart: Readonly<Record<string, Open>> = {
  "a session of 2025-11-25": async (url, headers = {}) => {
    const { sessionId } = await post(url, "/mcp", hello, headers);
    const own = { ...headers, "mcp-session-id": sessionId ?? "" };
    return {
      session: sessionId ?? "",
      call: async (name, input = {}) =>
        seen((await post(url, "/mcp", rpc("tools/call", { name, arguments: input }), own)).body),
    };
  },

  "a WebSocket of 2025-11-25": async (url) => {
    const send = await openMcpSocket(url);
    await send(hello);
    return { call: async (name, input = {}) => seen(await send(rpc("tools/call", { name, arguments: input }))) };
  },

  "a WebSocket without a handshake": async (url) => {
    const send = await openMcpSocket(url);
    return { call: async (name, input = {}) => seen(await send(rpc("tools/call", { name, arguments: input }))) };
  },

  "a WebSocket of 2026-07-28": async (url) => {
    const send = await openMcpSocket(url);
    const params = (name: string, input: Json) => ({ name, arguments: input, _meta: modernMeta });
    return { call: async (name, input = {}) => seen(await send(rpc("tools/call", params(name, input)))) };
  },

  "mcp frames of /ws": async (url) => {
    const { send } = await openSocket(url);
    const frame = (name: string, input: Json) => ({ type: "mcp", data: rpc("tools/call", { name, arguments: input }) });
    return { call: async (name, input = {}) => seen((await send(frame(name, input))).data) };
  },

  "a session of OpenEnv": async (url) => {
    const { body } = await post(url, "/mcp", rpc("openenv/session/create", {}));
    const { session_id } = body["result"] as Json;
    const params = (name: string, input: Json) => ({ name, arguments: input, session_id });
    return {
      call: async (name, input = {}) => {
        const answer = (await post(url, "/mcp", rpc("tools/call", params(name, input)))).body;
        const { error, result } = answer as { error?: { message: string }; result?: { data: unknown } };
        return error?.message ?? result?.data;
      },
    };
  },
};

/** Callers that are known by their principal only. */
export const together: Readonly<Record<string, Open>> = {
  "a POST of 2026-07-28": async (url, headers = {}) => ({
    call: async (name, input = {}) => {
      const message = rpc("tools/call", { name, arguments: input, _meta: modernMeta });
      return seen((await post(url, "/mcp", message, { ...mirrored("tools/call", name), ...headers })).body);
    },
  }),

  "a plain JSON-RPC POST": async (url, headers = {}) => ({
    call: async (name, input = {}) =>
      seen((await post(url, "/mcp", rpc("tools/call", { name, arguments: input }), headers)).body),
  }),

  "a POST to /mcp/execute": async (url, headers = {}) => ({
    call: async (name, input = {}) => {
      const { body } = await post(url, "/mcp/execute", { tool: name, arguments: input }, headers);
      return body["error"] === undefined ? body["result"] : body["message"];
    },
  }),
};

async function openMcpSocket(url: string): Promise<(message: Json) => Promise<Json>> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`);
  await once(socket, "open");
  return async (message) => {
    socket.send(JSON.stringify(message));
    const [data] = (await once(socket, "message")) as [Buffer];
    return JSON.parse(data.toString()) as Json;
  };
}

function seen(answer: Json): unknown {
  const { error, result } = answer as {
    error?: { message: string };
    result?: { isError?: boolean; structuredContent?: unknown; content: { text: string }[] };
  };
  return error?.message ?? (result?.isError ? result.content[0]?.text : result?.structuredContent);
}
