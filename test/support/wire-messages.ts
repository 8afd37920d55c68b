import { once } from "node:events";
import { WebSocket } from "ws";
import { adminApi } from "../../packages/biplane/src/admin/contract.ts";
import type { Operations } from "../../packages/biplane/src/admin/http/operation.ts";
import { modernMeta } from "../wire/endpoints.ts";
import type { Json } from "../wire/endpoints.ts";
import { sampleOf } from "./schema-sample.ts";

/** What one endpoint is sent. */
export interface WireMessage {
  /** A body that the endpoint understands. */
  readonly sample: Json;
  /** The most bytes of a body that it accepts. */
  readonly limit: number;
  /** Sends a body and returns what comes back. A request without a body has it in its address and its headers. */
  readonly send: (body: string) => Promise<string>;
}

export interface WireTarget {
  readonly url: string;
  /** The name of an environment. */
  readonly environment: string;
  /** What proves a person to the admin API. */
  readonly person: Readonly<Record<string, string>>;
}

/** Just below the limits of the endpoints. */
export const bodyBytes = 4 * 2 ** 20 - 2000;
const frameBytes = 16 * 2 ** 20 - 2000;
const adminBytes = 2 ** 20 - 100;
/** Node.js refuses a request with more than 16 KiB of headers. */
export const headBytes = 12_000;

/** A message for every name of `wireEndpoints`. */
export class WireMessages {
  readonly #target: WireTarget;
  readonly #path: string;

  constructor(target: WireTarget) {
    this.#target = target;
    this.#path = `/env/${target.environment}`;
  }

  /** Undefined if the endpoint is new, and nobody has written down what it is sent. */
  of(name: string): WireMessage | undefined {
    if (name in adminApi) return this.#admin(name);
    const [first = "", second = "", third = ""] = name.split(" ");
    if (name.startsWith("MCP 2026")) return this.#modern(third);
    if (name.startsWith("MCP")) return this.#legacy(third);
    if (first === "/ws" && second !== "") return this.#frame(second);
    if (first.startsWith("/<environment>")) {
      const path = `${this.#path}/${this.#target.environment}${first.slice("/<environment>".length)}`;
      return first.endsWith("splits") ? this.#get(path) : this.#post(path, { split: "train", index: 1, start: 1 });
    }
    const [method, path] = name.includes(" ") ? [first, second] : ["", first];
    if (path.startsWith("/control") || path in ofEnvironment) {
      const sample = ofEnvironment[path];
      return method === "POST" ? this.#post(this.#path + path, sample ?? { seed: 1 }) : this.#get(this.#path + path);
    }
    if (path.startsWith("/ors/") || path.startsWith("/nemo-gym/")) {
      const headers = { "x-session-id": "a", cookie: "biplane_session=a" };
      return method === "POST"
        ? this.#post(this.#path + path, trainerBody, "POST", headers)
        : this.#get(this.#path + path);
    }
    if (first === "/control/episodes") return this.#episodes(name.slice("/control/episodes ".length));
    if (name === "/ws") return this.#socket((body) => body, { type: "a", data: "b" });
    if (name === "/mcp/execute") return this.#post(name, execute);
    if (name === "/mcp" || name === "/mcp/") return this.#rpc(name);
    return ofServer.includes(name) ? this.#get(name) : undefined;
  }

  async request(line: string, body?: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const [method = "", path = ""] = line.split(" ");
    const accept = "application/json, text/event-stream";
    const init = { method, headers: { "content-type": "application/json", accept, ...headers } };
    const withBody = body !== undefined && method !== "GET";
    const response = await fetch(this.#target.url + path, { ...init, ...(withBody && { body }) });
    if (!response.headers.get("content-type")?.includes("event-stream")) return response.text();
    // The first part of a stream is enough: some have no end.
    const reader = response.body?.getReader();
    const first = await reader?.read();
    await reader?.cancel();
    return Buffer.from(first?.value ?? []).toString();
  }

  /** Sends frames on a new socket, and returns the first answer, or nothing if the socket is closed. */
  async exchange(path: string, ...texts: readonly string[]): Promise<string> {
    const socket = new WebSocket(`${this.#target.url.replace("http", "ws")}${path}`);
    await once(socket, "open");
    const answered = new Promise<string>((resolve) => {
      socket.once("message", (data: Buffer) => resolve(data.toString()));
      socket.once("close", () => resolve(""));
      socket.once("error", () => resolve(""));
    });
    for (const text of texts) socket.send(text);
    const answer = await answered;
    socket.terminate();
    return answer;
  }

  #post(path: string, sample: Json, method = "POST", headers: Readonly<Record<string, string>> = {}): WireMessage {
    return { sample, limit: bodyBytes, send: (body) => this.request(`${method} ${path}`, body, headers) };
  }

  /** The id is always the same, because an answer must repeat it as it is. */
  #rpc(path: string): WireMessage {
    const whole = (body: string) => body.replace(/^\{/, '{"jsonrpc":"2.0","id":1,');
    const send = (body: string) => this.request(`POST ${path}`, whole(body));
    return { sample: { method: "a", params: { a: "b" } }, limit: bodyBytes, send };
  }

  #get(path: string): WireMessage {
    const send = (body: string) => {
      const text = inAddress(body.slice(0, headBytes / 3));
      const headers = { "mcp-session-id": text, "x-episode-id": text };
      return this.request(`GET ${path}?episode_id=${text}&${text}`, undefined, headers);
    };
    return { sample: { text: "a" }, limit: headBytes, send };
  }

  #episodes(action: string): WireMessage {
    const [method = "", which, verb] = action.split(" ");
    const path = `${this.#path}/control/episodes${which === "one" ? `/a${verb === undefined ? "" : `/${verb}`}` : ""}`;
    const start = { seed: 1, config: { a: "b" }, label: "a", snapshot: { state: "a", seed: "1" } };
    return method === "GET" ? this.#get(path) : this.#post(path, verb === "fork" ? { count: 2 } : start, method);
  }

  #modern(method: string): WireMessage {
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, "mcp-name": "a" };
    const sample = { ...params[method], _meta: modernMeta({ elicitation: {} }), requestState: "a" };
    const send = (body: string) => this.request(`POST ${this.#path}/mcp`, rpc(method, body), headers);
    return { sample, limit: bodyBytes, send };
  }

  #legacy(method: string): WireMessage {
    const sample = { ...params[method], _meta: { progressToken: "a" } };
    return { sample, limit: bodyBytes, send: (body) => this.request(`POST ${this.#path}/mcp`, rpc(method, body)) };
  }

  #frame(type: string): WireMessage {
    return this.#socket((body) => `{"type":${JSON.stringify(type)},"data":${body}}`, frames[type] ?? {});
  }

  #socket(frameOf: (body: string) => string, sample: Json): WireMessage {
    return { sample, limit: frameBytes, send: (body) => this.exchange(`${this.#path}/ws`, frameOf(body)) };
  }

  #admin(key: string): WireMessage {
    const { body, query } = (adminApi as Operations)[key] ?? {};
    const { person } = this.#target;
    const line = (text: string) => key.replaceAll(/:\w+/g, inAddress(text));
    if (body) {
      const send = (text: string) => this.request(line("sample"), text, person);
      return { sample: sampleOf(body) as Json, limit: adminBytes, send };
    }
    const names = [...Object.keys(query?.properties ?? {}), "unknown"];
    const send = (text: string) => {
      const part = inAddress(text.slice(0, headBytes / 3 / names.length));
      const address = line(text.slice(0, 500));
      return this.request(`${address}?${names.map((name) => `${name}=${part}`).join("&")}`, undefined, person);
    };
    return { sample: { text: "a" }, limit: headBytes, send };
  }
}

/** Half pairs of surrogates cannot be in an address. */
function inAddress(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

export function rpc(method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${params}}`;
}

/** Parameters that MCP methods understand. */
export const params: Readonly<Record<string, Json>> = {
  "tools/call": { name: "a", arguments: { message: "text" } },
  "tools/list": { cursor: "a" },
  "resources/read": { uri: "a:b" },
  "prompts/get": { name: "a", arguments: { a: "b" } },
  "completion/complete": { ref: { type: "ref/prompt", name: "a" }, argument: { name: "a", value: "b" } },
  "subscriptions/listen": { notifications: { toolsListChanged: true, resourceSubscriptions: ["a:b"] } },
  "tasks/get": { taskId: "a" },
  "tasks/update": { taskId: "a", inputResponses: { a: { action: "accept", content: { a: "b" } } } },
  "tasks/cancel": { taskId: "a" },
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { a: "b" },
    clientInfo: { name: "a", version: "1", _extra: { session_id: "a", config: { a: "b" } } },
  },
  "logging/setLevel": { level: "info" },
  "resources/subscribe": { uri: "a:b" },
  "resources/unsubscribe": { uri: "a:b" },
  "openenv/session/close": { session_id: "a" },
  "notifications/cancelled": { requestId: "a", reason: "b" },
};

const call = { type: "call_tool", tool_name: "a", arguments: { message: "text" }, metadata: { a: "b" } };
const start = { seed: 1, episode_id: "a", config: { a: "b" } };

const frames: Readonly<Record<string, Json>> = {
  reset: start,
  step: call,
  mcp: { jsonrpc: "2.0", id: "a", method: "tools/call", params: { name: "a", arguments: { message: "text" } } },
};

/** Something of everything that ORS and NeMo Gym send. */
const trainerBody = {
  split: "train",
  index: 1,
  task_spec: { split: "train", index: 1 },
  name: "a",
  input: { message: "text" },
  resources_session_id: "a",
  episode_id: { rollout_id: "a" },
  verify_responses: [{ reward: 1 }],
};

/** Paths of an environment, with the bodies of those that take one. */
const ofEnvironment: Readonly<Record<string, Json>> = {
  "/reset": start,
  "/step": { action: call, timeout_s: 1, episode_id: "a" },
  "/state": {},
  "/list_environments": {},
  "/metadata": {},
  "/schema": {},
  "/openapi.json": {},
};

const ofServer = ["/mcp/capabilities", "/health", "/healthz", "/readyz", "/metrics", "/api"];

const execute = {
  tool: "a",
  arguments: { code: "1" },
  agent: { agent_id: "a", model: "b", request_id: "c", metadata: { a: "b" } },
};
