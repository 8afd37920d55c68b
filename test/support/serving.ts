import type { Listening, ServeOptions, Server } from "biplane";

/** The server on a free port of this machine, for the length of a test: `await using`. */
export async function listen(gateway: Server, options: ServeOptions = {}): Promise<Served> {
  const listening = await gateway.serve({ url: "http://127.0.0.1:0", graceMs: 200, ...options });
  return {
    listening,
    base: listening.url,
    mcp: `${listening.url}/mcp`,
    execute: `${listening.url}/mcp/execute`,
    socket: `${listening.url.replace("http", "ws")}/mcp`,
    port: Number(new URL(listening.url).port),
    [Symbol.asyncDispose]: () => gateway.close(),
  };
}

export interface Served extends AsyncDisposable {
  readonly listening: Listening;
  readonly base: string;
  readonly mcp: string;
  readonly execute: string;
  readonly socket: string;
  readonly port: number;
}

/** POSTs JSON and gives back the status and what the body says; nothing may take longer than `withinMs`. */
export async function post(
  url: string,
  body: unknown,
  options: { headers?: Record<string, string>; withinMs?: number } = {},
): Promise<{ status: number; json: unknown; headers: Headers }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...options.headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(options.withinMs ?? 3000),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: text === "" ? undefined : JSON.parse(text) };
}

/** The headers and `_meta` of a request in the era without sessions. */
export function modern(method: string, name?: string): { headers: Record<string, string>; meta: object } {
  return {
    headers: {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(name !== undefined && { "mcp-name": name }),
    },
    meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  };
}
