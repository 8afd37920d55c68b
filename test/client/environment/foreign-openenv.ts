import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";

interface ForeignOptions {
  readonly isFull?: boolean;
  /** Frames that each client gets before it asks. */
  readonly unasked?: readonly string[];
}

/** A server with the literal answers of OpenEnv's own echo environment, version 0.2.3. It knows nothing of Biplane. */
export class ForeignOpenEnv implements AsyncDisposable {
  readonly frames: string[] = [];
  readonly #http: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #isFull: boolean;
  readonly #unasked: readonly string[];

  private constructor({ isFull = false, unasked = [] }: ForeignOptions) {
    this.#isFull = isFull;
    this.#unasked = unasked;
    this.#http = createServer((request, response) => {
      const [status, body] = pages[`${request.method} ${request.url}`] ?? [404, { detail: "Not Found" }];
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    this.#http.on("upgrade", (request, socket, head) => {
      this.#sockets.handleUpgrade(request, socket, head, (client) => {
        for (const frame of this.#unasked) client.send(frame);
        if (this.#isFull) return client.send(JSON.stringify(full), () => client.close(1000));
        client.on("message", (data: Buffer) => {
          this.frames.push(data.toString());
          const answer = answers(JSON.parse(data.toString()) as Frame);
          if (answer) client.send(JSON.stringify(answer));
          else client.close(1000);
        });
      });
    });
  }

  static async open(options: ForeignOptions = {}): Promise<ForeignOpenEnv> {
    const server = new ForeignOpenEnv(options);
    await new Promise<void>((resolve) => server.#http.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#sockets.clients) client.terminate();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}

interface Frame {
  readonly type: string;
  readonly data?: { readonly type?: string; readonly tool_name?: string; readonly arguments?: { message?: string } };
}

const action = { title: "CallToolAction", type: "object", properties: { tool_name: {}, arguments: {} } };
const nothing = { observation: {}, reward: 0.0, done: false };

const pages: Readonly<Record<string, readonly [number, unknown]>> = {
  "GET /schema": [200, { action, observation: {}, state: {} }],
  "POST /reset": [200, nothing],
  "POST /step": [200, nothing],
  "GET /state": [200, { episode_id: "b5d2a63d", step_count: 0 }],
};

const full = {
  type: "error",
  data: {
    message: "Server at capacity: 2/2 sessions active. Cannot accept new connections.",
    code: "CAPACITY_REACHED",
    active_sessions: 2,
    max_sessions: 2,
  },
};

function answers({ type, data }: Frame): object | undefined {
  if (type === "close") return undefined;
  if (type === "reset") return { type: "observation", data: nothing };
  if (type === "state") return { type: "state", data: { episode_id: "ep", step_count: 2 } };
  if (data?.type === "list_tools") return observed({ tools: [echoTool] }, null);
  const { tool_name: name, arguments: { message } = {} } = data ?? {};
  if (name === "proto") return { type: "error", data: { message: "proto", code: "constructor" } };
  if (name === "kaput") return { type: "error", data: { message: "kaput", code: "EXECUTION_ERROR" } };
  if (name !== "echo_message")
    return observed(
      { tool_name: name, result: null, error: { error_type: "tool_not_found", message: `Unknown tool: '${name}'` } },
      null,
    );
  const content = [{ type: "text", text: message, annotations: null, meta: null }];
  const result = { content, structured_content: { result: message }, meta: {}, data: message, is_error: false };
  return observed({ tool_name: name, result, error: null }, null);
}

const echoTool = {
  name: "echo_message",
  description: "Echo back the provided message.",
  input_schema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
};

function observed(observation: object, reward: number | null): object {
  return { type: "observation", data: { observation, reward, done: false } };
}
