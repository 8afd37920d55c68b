import type { CallerEpisodes } from "../../environment/caller-episodes.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Principal } from "../../tool/call.ts";
import type { Channel, ChannelListener } from "../../transport/channel.ts";
import { plainClient } from "../mcp/client.ts";
import type { Endpoint } from "../mcp/endpoint.ts";
import { Exchange, answerMessage, noReplies } from "../mcp/exchange.ts";
import { faultMessage, readMessage } from "../../protocol/rpc.ts";
import { redactedJson } from "../redacted-json.ts";
import type { OpenEnvSessions } from "./sessions.ts";
import { OpenEnvSocket } from "./socket.ts";

export interface OpenSocketOptions {
  readonly sessions: OpenEnvSessions;
  readonly callers: CallerEpisodes;
  readonly endpoint: Endpoint;
  readonly principal: Principal;
  /** The session to attach to; only newer clients send it. */
  readonly sessionId: string | null;
}

/** Opens a socket with a new episode slot, or with that of a session created over `/mcp`. */
export function openEnvSocket(environment: Environment, channel: Channel, options: OpenSocketOptions): ChannelListener {
  const { sessions, sessionId: id, principal, endpoint, callers } = options;
  const { size, maxEpisodes, isFull } = environment.episodes;
  if (id === null && isFull) {
    const message = `Server at capacity: ${size}/${maxEpisodes} sessions active. Cannot accept new connections.`;
    const data = { active_sessions: size, max_sessions: maxEpisodes };
    return refused(channel, JSON.stringify({ type: "error", data: { message, code: "CAPACITY_REACHED", ...data } }));
  }
  const source = {};
  const detach = id === null ? () => callers.release(source) : sessions.attach(source, { id, principal });
  if (typeof detach === "string") {
    const frame = { type: "error", data: { message: detach, code: "SESSION_ERROR" } };
    return refused(channel, redactedJson(frame, environment.redactor));
  }
  return new OpenEnvSocket(environment, channel, {
    principal,
    slot: callers.slotOf(source, principal),
    mcp: (message) => relay(endpoint, message, { principal, source }),
    onClosed: detach,
  });
}

/** Older clients send before they read, so the socket stays open until their first message. */
function refused(channel: Channel, frame: string): ChannelListener {
  channel.send(frame);
  const timer = setTimeout(() => channel.close(), refusalMs);
  timer.unref();
  return { onMessage: () => channel.close(), onOversize: () => channel.close(), onClose: () => clearTimeout(timer) };
}

const refusalMs = 1000;

/** Serves the JSON-RPC message of an `mcp` frame in the socket's episode. */
async function relay(
  endpoint: Endpoint,
  data: unknown,
  { principal, source }: { principal: Principal; source: object },
): Promise<unknown> {
  const message = readMessage(data);
  if (message.kind === "invalid") return JSON.parse(faultMessage(message.id, message.fault)) as unknown;
  if (message.kind !== "request") return null;
  const caller = {
    era: "legacy" as const,
    client: plainClient,
    principal,
    session: undefined,
    episode: undefined,
    slotKey: source,
  };
  const exchange = new Exchange(message, caller, noReplies);
  return JSON.parse(answerMessage(message.id, await endpoint.handle(exchange)) ?? "null") as unknown;
}
