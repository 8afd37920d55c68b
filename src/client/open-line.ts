import { BiplaneError, messageOf } from "../errors.ts";
import type { Server } from "../server/server.ts";
import type { Channel } from "../transport/channel.ts";
import { bearerAuthorizer } from "./auth/authorizer.ts";
import type { Authorizer, Fetch } from "./auth/authorizer.ts";
import { ChannelLine } from "./channel-line.ts";
import { HttpLine } from "./http-line.ts";
import { defaultMaxBytes } from "./line.ts";
import type { Line, LineListener } from "./line.ts";
import { isLost, lost } from "./lost.ts";
import type { ConnectOptions, ProcessTarget, Target } from "./options.ts";

export interface OpenOptions extends ConnectOptions {
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Opens lines to one target, one after the other. */
export interface OpenLine {
  (listener: LineListener): Promise<Line>;
  /** Another way to the same target, for servers that are older still. */
  readonly fallback?: (listener: LineListener) => Promise<Line | undefined>;
}

/** How lines to a target are opened. What it is shows in how it is written. */
export async function lineTo(target: Target, options: OpenOptions): Promise<OpenLine> {
  if (typeof target !== "string" && !(target instanceof URL)) {
    if ("command" in target) return (listener) => openProcess(target, listener, options);
    return (listener) => openMemory(target, listener);
  }
  const url = parse(String(target));
  const authorizer = await authorizerFor(options);
  if (url.protocol.startsWith("ws")) return (listener) => openWebSocket(url.href, listener, authorizer, options);
  const settings = httpOptions(authorizer, options);
  const open = async (listener: LineListener) => new HttpLine(url.href, listener, settings);
  const fallback = async (listener: LineListener) =>
    (await import("./sse-line.ts")).openSseLine(url.href, listener, settings);
  return Object.assign(open, { fallback });
}

/** Whether requests to a target carry headers that repeat parts of them. */
export function isHttp(target: Target): boolean {
  return (typeof target === "string" || target instanceof URL) && /^https?:/i.test(String(target));
}

function parse(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^(https?|wss?):$/.test(url.protocol)) return url;
  const ways = "http(s)://…, ws(s)://…, { command, args } or a server in this process";
  throw new BiplaneError("INVALID_DEFINITION", `cannot connect to ${JSON.stringify(text)}; a target is ${ways}`);
}

async function authorizerFor({ bearer, oauth, fetch }: ConnectOptions): Promise<Authorizer | undefined> {
  if (bearer !== undefined) return bearerAuthorizer(bearer);
  if (!oauth) return undefined;
  const { OAuth } = await import("./auth/oauth.ts");
  return new OAuth(oauth, { fetch: fetch ?? globalFetch });
}

function httpOptions(authorizer: Authorizer | undefined, options: OpenOptions) {
  const { headers = {}, fetch = globalFetch, maxMessageBytes = defaultMaxBytes, sleep } = options;
  return { headers, authorizer, fetch, maxMessageBytes, sleep };
}

const globalFetch: Fetch = (url, init) => fetch(url, init);

async function openProcess(target: ProcessTarget, listener: LineListener, options: OpenOptions): Promise<Line> {
  const { ProcessChannel } = await import("../transport/process.ts");
  const { maxMessageBytes = defaultMaxBytes, graceMs = 2000, onStderr } = options;
  const line = new ChannelLine(listener, `the process ${JSON.stringify(target.command)}`);
  const channel = new ProcessChannel(line, { ...target, maxMessageBytes, graceMs, onStderr });
  return line.attach(channel, { explain: () => channel.explain(), closed: channel.closed });
}

async function openWebSocket(
  url: string,
  listener: LineListener,
  authorizer: Authorizer | undefined,
  options: OpenOptions,
): Promise<Line> {
  const { openSocket } = await import("../transport/websocket-client.ts");
  const { headers = {}, maxMessageBytes = defaultMaxBytes, signal } = options;
  const line = new ChannelLine(listener, url);
  for (let attempt = 1; ; attempt++) {
    const page = url.replace(/^ws/, "http");
    const credentials = await authorizer?.headers({ method: "GET", url: page });
    const settings = { headers: { ...headers, ...credentials }, maxMessageBytes, signal };
    try {
      const channel: Channel = await openSocket(url, line, settings);
      return line.attach(channel);
    } catch (error) {
      if (!(error instanceof BiplaneError)) {
        throw lost(`cannot reach ${url} (${messageOf(error)})`, { delivered: "no", cause: error });
      }
      if (isLost(error) || error.code !== "UNAUTHORIZED") throw error;
      const { status, challenge } = error.details as { status: number; challenge?: string };
      const answered = new Headers(challenge === undefined ? {} : { "www-authenticate": challenge });
      if (!(await authorizer?.refused({ url: page, status, headers: answered, attempt }))) throw error;
    }
  }
}

async function openMemory(server: Server, listener: LineListener): Promise<Line> {
  const { serveMemory } = await import("../wire/serve-memory.ts");
  const line = new ChannelLine(listener, `the server ${JSON.stringify(server.name)}`);
  const end = serveMemory(server, { kind: "local", id: "local", scopes: [] });
  return line.attach(end(line));
}
