import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { WebSocket } from "ws";
import type { ServeOptions } from "biplane";
import { serveMemory } from "../../packages/core/src/wire/serve-memory.ts";
import { subject } from "./subject.ts";
import type { Happening } from "./subject.ts";
import { bundledScript } from "../support/bundled-script.ts";

export type Json = Record<string, unknown>;

/** A way into the subject: raw JSON-RPC in, raw JSON-RPC out. */
export interface Endpoint extends AsyncDisposable {
  /** Sends a whole message, or text that only looks like one, and gives what comes back. */
  send(message: Json | string): Promise<Json>;
  /** Sends a request in the handler's own era. */
  request(method: string, params?: Json): Promise<Json>;
  /** Each call's record, in order. */
  readonly happenings: readonly Happening[];
}

export const modernMeta = (capabilities: Json = {}): Json => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "handler", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": capabilities,
});

/** Every wire in every era it speaks. */
export const endpoints: Record<string, () => Promise<Endpoint>> = {
  "stdio, 2025-11-25": () => openStdio("legacy"),
  "stdio, 2026-07-28": () => openStdio("modern"),
  "memory, 2025-11-25": () => openMemory("legacy"),
  "memory, 2026-07-28": () => openMemory("modern"),
  "WebSocket, 2025-11-25": () => openSocket("legacy"),
  "WebSocket, 2026-07-28": () => openSocket("modern"),
  "HTTP, 2025-11-25": () => openHttp("legacy"),
  "HTTP, 2026-07-28": () => openHttp("modern"),
  "HTTP, plain JSON-RPC": () => openHttp("plain"),
  "HTTP, 2025-11-25, without the fast lane": () => openHttp("legacy", { fastLane: false }),
  "HTTP, 2026-07-28, without the fast lane": () => openHttp("modern", { fastLane: false }),
};

type Era = "legacy" | "modern" | "plain";

const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "handler", version: "1" } };

async function openStdio(era: Era): Promise<Endpoint> {
  const child = spawn(process.execPath, [bundledScript(new URL("subject-stdio.ts", import.meta.url))]);
  const lines = createInterface(child.stdout);
  const happenings: Happening[] = [];
  createInterface(child.stderr).on("line", (line) => {
    if (line.startsWith("{")) happenings.push(JSON.parse(line) as Happening);
  });
  const pipe = {
    write: (text: string) => void child.stdin.write(`${text}\n`),
    onText: (listen: (text: string) => void) => void lines.on("line", listen),
  };
  return overPipe(era, pipe, happenings, async () => {
    child.stdin.end();
    await once(child, "exit");
  });
}

async function openMemory(era: Era): Promise<Endpoint> {
  const { server, happenings } = subject();
  const end = serveMemory(server, { kind: "local", id: "test", scopes: [] });
  let listener: (text: string) => void = () => undefined;
  const channel = end({ onMessage: (text) => listener(text), onOversize: () => undefined, onClose: () => undefined });
  const pipe = {
    write: (text: string) => channel.send(text),
    onText: (listen: (text: string) => void) => {
      listener = listen;
    },
  };
  return overPipe(era, pipe, happenings, async () => {
    channel.close();
    await server.close();
  });
}

async function openSocket(era: Era): Promise<Endpoint> {
  const { server, happenings } = subject();
  const { url } = await server.serve("ws://127.0.0.1:0");
  const socket = new WebSocket(`${url}/mcp`, "mcp");
  await once(socket, "open");
  const pipe = {
    write: (text: string) => socket.send(text),
    onText: (listen: (text: string) => void) => void socket.on("message", (data: Buffer) => listen(data.toString())),
  };
  return overPipe(era, pipe, happenings, async () => {
    socket.close();
    await server.close();
  });
}

interface Pipe {
  write(text: string): void;
  onText(listen: (text: string) => void): void;
}

async function overPipe(era: Era, pipe: Pipe, happenings: Happening[], close: () => Promise<void>): Promise<Endpoint> {
  const waiting: ((message: Json) => void)[] = [];
  pipe.onText((text) => waiting.shift()?.(JSON.parse(text) as Json));
  const send = (message: Json | string): Promise<Json> => {
    const answer = new Promise<Json>((resolve) => waiting.push(resolve));
    pipe.write(typeof message === "string" ? message : JSON.stringify(message));
    return answer;
  };
  let id = 0;
  const request = (method: string, params: Json = {}) =>
    send({ jsonrpc: "2.0", id: ++id, method, params: withMeta(era, params) });
  if (era === "legacy") {
    await request("initialize", hello);
    pipe.write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  }
  return { send, request, happenings, [Symbol.asyncDispose]: close };
}

async function openHttp(era: Era, options: ServeOptions = {}): Promise<Endpoint> {
  const { server, happenings } = subject();
  const { url } = await server.serve({ url: "http://127.0.0.1:0", ...options });
  const session: Record<string, string> = {};
  const post = async (body: string, headers: Record<string, string>) => {
    const accept = "application/json, text/event-stream";
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", accept, ...session, ...headers },
    });
    const id = response.headers.get("mcp-session-id");
    if (id) session["mcp-session-id"] = id;
    return (await response.json()) as Json;
  };
  const send = (message: Json | string) => {
    if (typeof message === "string") return post(message, {});
    return post(JSON.stringify(message), era === "modern" ? mirrored(message) : {});
  };
  let id = 0;
  const request = (method: string, params: Json = {}) =>
    send({ jsonrpc: "2.0", id: ++id, method, params: withMeta(era, params) });
  if (era === "legacy") await request("initialize", hello);
  return { send, request, happenings, [Symbol.asyncDispose]: () => server.close() };
}

function mirrored({ method, params }: Json): Record<string, string> {
  const { name, uri } = (typeof params === "object" && params !== null ? params : {}) as Json;
  const target = name ?? uri;
  return {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": String(method),
    ...(typeof target === "string" && { "mcp-name": target }),
  };
}

function withMeta(era: Era, params: Json): Json {
  return era === "modern"
    ? { ...params, _meta: { ...modernMeta(), ...(params["_meta"] as Json | undefined) } }
    : params;
}
