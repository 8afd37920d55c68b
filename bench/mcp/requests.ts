/** The protocol version, and whether a session is used. */
export type Era = "2026" | "2025 session" | "2025 stateless";

/** A call that adds two numbers, a call that returns ten kilobytes, or a tool list. */
export type Workload = "call" | "page" | "list";

/** The bytes of a request, created once and sent many times. `slot` identifies the connection. */
export function requestBytes(options: {
  readonly era: Era;
  readonly workload: Workload;
  readonly slot: number;
  readonly session?: Session | undefined;
}): Buffer {
  const { era, workload, slot, session } = options;
  const method = workload === "list" ? "tools/list" : "tools/call";
  const call = calls[workload](slot);
  const params = era === "2026" ? { ...call, _meta: modernMeta } : call;
  const headers = era === "2026" ? modernHeaders(method, call.name) : legacyHeaders(session);
  return post({ jsonrpc: "2.0", id: slot + 1, method, params }, headers);
}

/** Text that a correct response to the request contains. */
export function expectedAnswer(
  workload: Workload,
  { slot, tools = 1 }: { slot: number; tools?: number | undefined },
): string {
  if (workload === "page") return "Line 149 of a page";
  if (workload === "list") return `"name":"add${tools > 1 ? `_${tools - 1}` : ""}"`;
  return `"structuredContent":{"sum":${slot + firstSum}}`;
}

const calls: Readonly<Record<Workload, (slot: number) => { name?: string; arguments?: object }>> = {
  call: (slot) => ({ name: "add", arguments: { a: slot, b: firstSum } }),
  page: () => ({ name: "page", arguments: {} }),
  list: () => ({}),
};

/** A session after its handshake. */
export interface Session {
  readonly id: string | undefined;
  readonly version: string;
}

export function initializeBytes(): Buffer {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  return post({ jsonrpc: "2.0", id: "initialize", method: "initialize", params }, {});
}

export function initializedBytes(session: Session): Buffer {
  return post({ jsonrpc: "2.0", method: "notifications/initialized" }, legacyHeaders(session));
}

/** A `tools/list` request as a line for standard input. */
export function listLine(): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: modernMeta } })}\n`;
}

const firstSum = 1000;
const clientInfo = { name: "bench", version: "1.0.0" };
export const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};

export function modernHeaders(method: string, tool: string | undefined): Record<string, string> {
  const name = tool === undefined ? undefined : { "Mcp-Name": tool };
  return { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, ...name };
}

export function legacyHeaders(session: Session | undefined): Record<string, string> {
  const id = session?.id === undefined ? undefined : { "Mcp-Session-Id": session.id };
  return { "MCP-Protocol-Version": session?.version ?? "2025-06-18", ...id };
}

export function post(message: object, headers: Record<string, string>): Buffer {
  return httpBytes("POST /mcp", { message, headers });
}

/** The bytes of an HTTP request: `POST /mcp`, with a JSON body if there is a message. */
export function httpBytes(
  target: string,
  { message, headers = {} }: { message?: object; headers?: Record<string, string> },
): Buffer {
  const body = message === undefined ? "" : JSON.stringify(message);
  const all = {
    Host: "127.0.0.1",
    Accept: "application/json, text/event-stream",
    ...(message && { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${target} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}
