import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Json = unknown;

/** What a server of Eval Protocol's two planes does; what is left out, it does properly. Text is sent as it is. */
export interface Manners {
  /** The answer of each call, in order; the last one stays. Functions get the call's arguments. */
  readonly tool?: (input: Record<string, Json>, call: number) => Json;
  readonly control?: Partial<Record<string, Control>>;
  readonly resources?: readonly { uri: string; name: string; text?: string; blob?: string }[];
  /** MCP methods that fail with an HTTP status, or hang. */
  readonly fails?: Partial<Record<string, number | "hang">>;
}

/** What a tool answers that never answers, or whose connection breaks. */
export const hang = Symbol("hang");
export const cut = Symbol("cut");

/** What a control endpoint does: answers (with a step count or not), fails, hangs, or is not there. */
export type Control = ((calls: number) => Json) | { readonly status: number } | "hang" | { readonly raw: string };

/** A server that misbehaves as told, and remembers what it was asked. */
export class CrookedServer {
  readonly requests: {
    method: string;
    path: string;
    headers: IncomingMessage["headers"];
    body: Record<string, Json>;
  }[] = [];
  readonly #manners: Manners;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #calls = 0;
  #sessions = 0;

  private constructor(manners: Manners) {
    this.#manners = manners;
  }

  static async open(manners: Manners = {}): Promise<CrookedServer> {
    const server = new CrookedServer(manners);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  count(method: string): number {
    return this.requests.filter((request) => request.body["method"] === method).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body = (text === "" ? {} : JSON.parse(text)) as Record<string, Json>;
    this.requests.push({ method: request.method ?? "", path, headers: request.headers, body });
    if (path.startsWith("/control/")) return this.#control(path.slice("/control/".length), response);
    if (request.method !== "POST") return void response.writeHead(request.method === "DELETE" ? 200 : 405).end();
    const failure = this.#manners.fails?.[String(body["method"])];
    if (failure === "hang") return;
    if (failure !== undefined) return void response.writeHead(failure).end("broken");
    if (body["id"] === undefined) return void response.writeHead(202).end();
    const result = this.#result(body);
    if (result === hang) return;
    if (result === cut) return void request.socket.destroy();
    const session = body["method"] === "initialize" ? { "mcp-session-id": `s${++this.#sessions}` } : {};
    response.writeHead(200, { "content-type": "application/json", ...session });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: body["id"], ...(result as object) }));
  }

  #control(name: string, response: ServerResponse): void {
    const given = this.#manners.control?.[name] ?? proper[name] ?? { status: 404 };
    if (given === "hang") return;
    if (typeof given === "object" && "status" in given) return void response.writeHead(given.status).end("no");
    const text = typeof given === "object" ? given.raw : JSON.stringify(given(this.#calls));
    response.writeHead(200, { "content-type": "application/json" }).end(text);
  }

  #result({ method, params }: Record<string, Json>): { result: Json } | { error: Json } | symbol {
    const { name, arguments: input, uri } = (params ?? {}) as Record<string, Json>;
    const { resources, tool = () => ({ ok: true }) } = this.#manners;
    switch (method) {
      case "initialize":
        return {
          result: {
            protocolVersion: "2025-06-18",
            capabilities: { tools: {} },
            serverInfo: { name: "crooked", version: "1" },
          },
        };
      case "tools/list":
        return { result: { tools: [{ name: "act", inputSchema: { type: "object" } }] } };
      case "tools/call": {
        if (name !== "act") return { error: { code: -32602, message: `Unknown tool: ${String(name)}` } };
        const answer = tool(input as Record<string, Json>, this.#calls++);
        if (typeof answer === "symbol") return answer;
        const isResult = typeof answer === "object" && answer !== null && "content" in answer;
        return {
          result: isResult
            ? answer
            : { content: [{ type: "text", text: typeof answer === "string" ? answer : JSON.stringify(answer) }] },
        };
      }
      case "resources/list":
        return resources ? { result: { resources } } : { error: { code: -32601, message: "Method not found" } };
      case "resources/read":
        return { result: { contents: resources?.filter((each) => each.uri === uri) } };
      default:
        return { error: { code: -32601, message: "Method not found" } };
    }
  }
}

const proper: Readonly<Record<string, Control>> = {
  initial_state: () => ({ position: 0 }),
  reward: (calls) => ({ reward: 1, step_count: calls }),
  status: (calls) => ({ terminated: calls >= 3, truncated: false, step_count: calls, total_reward: calls }),
  reset_session: () => ({ ok: true }),
};
