import { BiplaneError, messageOf } from "../errors.ts";
import type { Served } from "../environment/served.ts";
import type { Channel } from "../transport/channel.ts";
import { bearerAuthorizer } from "./auth/authorizer.ts";
import type { Authorizer, Fetch } from "./auth/authorizer.ts";
import { ChannelTransport } from "./channel-transport.ts";
import { HttpTransport } from "./http-transport.ts";
import { defaultMaxBytes } from "../bounds/message-bytes.ts";
import type { Transport, TransportListener } from "./transport.ts";
import { isConnectionLost, connectionLost } from "./connection-lost.ts";
import type { ConnectOptions, ProcessTarget, Target } from "./options.ts";

export interface OpenOptions extends ConnectOptions {
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Opens transports to one target: the first, and one per reconnect. */
export interface OpenTransport {
  (listener: TransportListener): Promise<Transport>;
  /** Tries the 2024 HTTP+SSE transport at the same address. */
  readonly fallback?: (listener: TransportListener) => Promise<Transport | undefined>;
}

/** Returns the function that opens transports to a target. Its type or URL scheme selects the transport. */
export async function openTransport(target: Target, options: OpenOptions): Promise<OpenTransport> {
  if (typeof target !== "string" && !(target instanceof URL)) {
    if ("command" in target) return (listener) => openProcess(target, listener, options);
    return (listener) => openMemory(target, listener);
  }
  const url = parse(String(target));
  const authorizer = await authorizerFor(options);
  if (url.protocol.startsWith("ws")) return (listener) => openWebSocket(url.href, listener, { ...options, authorizer });
  const http = httpOptions(authorizer, options);
  const open = async (listener: TransportListener) => new HttpTransport(url.href, listener, http);
  const fallback = async (listener: TransportListener) =>
    (await import("./sse-transport.ts")).openSseTransport(url.href, listener, http);
  return Object.assign(open, { fallback });
}

/** True for Streamable HTTP, whose requests repeat parts of their body in headers. */
export function isHttp(target: Target): boolean {
  return (typeof target === "string" || target instanceof URL) && /^https?:/i.test(String(target));
}

function parse(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^(https?|wss?):$/.test(url.protocol)) return url;
  const forms = "http(s)://…, ws(s)://…, { command, args } or a server in this process";
  throw new BiplaneError("INVALID_DEFINITION", `Cannot connect to ${JSON.stringify(text)}. Use ${forms}.`);
}

async function authorizerFor({ bearer, oauth, fetch }: ConnectOptions): Promise<Authorizer | undefined> {
  if (bearer !== undefined) return bearerAuthorizer(bearer);
  if (!oauth) return undefined;
  const { OAuth } = await import("./auth/oauth.ts").catch(missingLibrary);
  return new OAuth(oauth, { fetch: fetch ?? globalFetch });
}

function missingLibrary(error: unknown): never {
  if ((error as { code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw error;
  const why = "`oauth` needs a package that is not installed. Run: npm install oauth4webapi";
  throw new BiplaneError("INVALID_DEFINITION", why, { cause: error });
}

function httpOptions(authorizer: Authorizer | undefined, options: OpenOptions) {
  const { headers = {}, fetch = globalFetch, maxMessageBytes = defaultMaxBytes, sleep } = options;
  return { headers, authorizer, fetch, maxMessageBytes, sleep };
}

const globalFetch: Fetch = (url, init) => fetch(url, init);

async function openProcess(
  target: ProcessTarget,
  listener: TransportListener,
  options: OpenOptions,
): Promise<Transport> {
  const { ProcessChannel } = await import("../transport/process.ts");
  const { maxMessageBytes = defaultMaxBytes, graceMs = 2000, onStderr } = options;
  const transport = new ChannelTransport(listener, `the process ${JSON.stringify(target.command)}`);
  const channel = new ProcessChannel(transport, { ...target, maxMessageBytes, graceMs, onStderr });
  return transport.attach(channel, { explain: () => channel.explain(), closed: channel.closed });
}

async function openWebSocket(
  url: string,
  listener: TransportListener,
  options: OpenOptions & { authorizer: Authorizer | undefined },
): Promise<Transport> {
  const { openSocket } = await import("../transport/websocket-client.ts");
  const { authorizer, headers = {}, maxMessageBytes = defaultMaxBytes, signal } = options;
  const transport = new ChannelTransport(listener, url);
  for (let attempt = 1; ; attempt++) {
    const page = url.replace(/^ws/, "http");
    const credentials = await authorizer?.headers({ method: "GET", url: page });
    const settings = { headers: { ...headers, ...credentials }, maxMessageBytes, signal };
    try {
      const channel: Channel = await openSocket(url, transport, settings);
      return transport.attach(channel);
    } catch (error) {
      if (!(error instanceof BiplaneError)) {
        throw connectionLost(`Cannot reach ${url} (${messageOf(error)}).`, { delivered: "no", cause: error });
      }
      if (isConnectionLost(error) || (error.code !== "UNAUTHORIZED" && error.code !== "FORBIDDEN")) throw error;
      const { status, challenge } = error.details as { status: number; challenge?: string };
      const answered = new Headers(challenge === undefined ? {} : { "www-authenticate": challenge });
      if (!(await authorizer?.refused({ url: page, status, headers: answered, attempt }))) throw error;
    }
  }
}

async function openMemory(served: Served, listener: TransportListener): Promise<Transport> {
  const { serveMemory } = await import("../wire/serve-memory.ts");
  const transport = new ChannelTransport(listener, `the server ${JSON.stringify(served.name)}`);
  const end = serveMemory(served, { kind: "local", id: "local", scopes: [] });
  return transport.attach(end(transport));
}
