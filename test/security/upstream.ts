import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";

export type Message = Record<string, unknown>;

/** An MCP server of the older era that says whatever a test wants it to say. */
export interface Upstream extends AsyncDisposable {
  readonly url: string;
  /** Sends anything to every connected client. */
  say(message: Message): void;
  /** Everything that was said to it, responses included. */
  readonly heard: Message[];
  /** Waits until something was said to it. */
  hears(what: (message: Message) => boolean): Promise<Message>;
}

export interface UpstreamOptions {
  readonly lists?: Readonly<Record<string, unknown>>;
  /** Answers requests that are not part of the opening; undefined leaves one without an answer. */
  readonly answer?: (request: Message) => unknown;
}

export async function upstream({ lists = {}, answer = () => undefined }: UpstreamOptions): Promise<Upstream> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", handleProtocols: () => "mcp" });
  await once(server, "listening");
  const heard: Message[] = [];
  const listeners = new Set<(message: Message) => void>();
  let current: WebSocket | undefined;
  server.on("connection", (socket) => {
    current = socket;
    socket.on("message", (data: Buffer) => {
      const message = JSON.parse(data.toString()) as Message;
      heard.push(message);
      for (const listener of listeners) listener(message);
      const { id, method } = message;
      if (typeof method !== "string" || id === undefined) return;
      const result = opening(method, lists) ?? answer(message);
      if (result !== undefined) socket.send(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    say: (message) => current?.send(JSON.stringify({ jsonrpc: "2.0", ...message })),
    hears: async (what) =>
      heard.find(what) ??
      new Promise((resolve) => {
        const listener = (message: Message) => {
          if (!what(message)) return;
          listeners.delete(listener);
          resolve(message);
        };
        listeners.add(listener);
      }),
    async [Symbol.asyncDispose]() {
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function opening(method: string, lists: Readonly<Record<string, unknown>>): unknown {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: "2025-11-25",
        capabilities: { tools: { listChanged: true }, resources: {}, prompts: {}, logging: {}, completions: {} },
        serverInfo: { name: "upstream", version: "1" },
      };
    case "ping":
    case "logging/setLevel":
      return {};
    case "tools/list":
      return { tools: lists["tools"] ?? [] };
    case "resources/list":
      return { resources: lists["resources"] ?? [] };
    case "resources/templates/list":
      return { resourceTemplates: lists["resourceTemplates"] ?? [] };
    case "prompts/list":
      return { prompts: lists["prompts"] ?? [] };
    default:
      return undefined;
  }
}
