import { once } from "node:events";
import { WebSocket } from "ws";
import { modernMeta } from "../wire/endpoints.ts";

export type Json = Record<string, unknown>;

/** The way of one principal to a server, over each of its wires. */
export class Wires {
  readonly url: string;
  readonly #token: string;
  #id = 0;

  constructor(url: string, token: string) {
    this.url = url;
    this.#token = token;
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#token}`, "content-type": "application/json" };
  }

  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const accept = "application/json, text/event-stream";
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const all = { ...this.headers, accept, ...headers };
    return fetch(`${this.url}${path}`, { method: "POST", body: text, headers: all });
  }

  /** Over REST. Returns the result, or throws the error. */
  async execute(tool: string, input: Json): Promise<unknown> {
    const response = await this.post("/mcp/execute", { tool, arguments: input });
    const body = (await response.json()) as Json;
    if (response.status !== 200) throw new Error(JSON.stringify(body));
    return body["result"];
  }

  /** MCP of 2026-07-28, which has no sessions. */
  async modern(tool: string, input: Json): Promise<Json> {
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": tool };
    const params = { name: tool, arguments: input, _meta: modernMeta() };
    return rpcResult(await this.post("/mcp", this.message("tools/call", params), headers));
  }

  /** A session of MCP 2025-11-25. Returns a function that calls a tool in it. */
  async session(path = "/mcp", clientInfo: Json = {}): Promise<(tool: string, input: Json) => Promise<Json>> {
    const params = { ...hello, clientInfo: { ...hello.clientInfo, ...clientInfo } };
    const response = await this.post(path, this.message("initialize", params));
    const headers = { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
    await rpcResult(response);
    await (await this.post(path, { jsonrpc: "2.0", method: "notifications/initialized" }, headers)).text();
    return async (tool, input) =>
      rpcResult(await this.post(path, this.message("tools/call", { name: tool, arguments: input }), headers));
  }

  async open(path: string): Promise<WebSocket> {
    const protocols = path.endsWith("/mcp") ? ["mcp"] : [];
    const socket = new WebSocket(`${this.url.replace("http", "ws")}${path}`, protocols, { headers: this.headers });
    await once(socket, "open");
    return socket;
  }

  /** MCP over a WebSocket. */
  async socket(): Promise<(tool: string, input: Json) => Promise<Json>> {
    const socket = await this.open("/mcp");
    const waiting = new Map<unknown, (message: Json) => void>();
    socket.on("message", (data: Buffer) => {
      const message = JSON.parse(data.toString()) as Json;
      waiting.get(message["id"])?.(message);
      waiting.delete(message["id"]);
    });
    const ask = async (method: string, params: Json) => {
      const message = this.message(method, params);
      const answer = new Promise<Json>((resolve) => waiting.set(message["id"], resolve));
      socket.send(JSON.stringify(message));
      return resultOf(await answer);
    };
    await ask("initialize", hello);
    return (tool, input) => ask("tools/call", { name: tool, arguments: input });
  }

  /** The WebSocket of OpenEnv, which answers frame by frame. */
  async openEnv(path: string): Promise<(frame: Json) => Promise<Json>> {
    const socket = await this.open(path);
    const waiting: ((message: Json) => void)[] = [];
    socket.on("message", (data: Buffer) => waiting.shift()?.(JSON.parse(data.toString()) as Json));
    return (frame) => {
      const answer = new Promise<Json>((resolve) => waiting.push(resolve));
      socket.send(JSON.stringify(frame));
      return answer;
    };
  }

  message(method: string, params: Json): Json {
    return { jsonrpc: "2.0", id: ++this.#id, method, params };
  }
}

export const hello = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "soak", version: "1" },
};

/** The result in an answer, which may be JSON or a stream of events. Throws its error. */
async function rpcResult(response: Response): Promise<Json> {
  const text = await response.text();
  const json = text.startsWith("{") ? text : /^data: ?(\{.*"(?:result|error)".*)$/m.exec(text)?.[1];
  if (json === undefined) throw new Error(`${response.status}: ${text.slice(0, 200)}`);
  return resultOf(JSON.parse(json) as Json);
}

function resultOf(message: Json): Json {
  const result = message["result"] as Json | undefined;
  if (result === undefined || result["isError"] === true) throw new Error(JSON.stringify(message).slice(0, 500));
  return result;
}
