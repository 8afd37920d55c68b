import type { Environment } from "../../environment/environment.ts";
import type { Seat } from "../../environment/seat.ts";
import type { Principal } from "../../tool/call.ts";
import type { Channel, ChannelListener } from "../../transport/channel.ts";
import { plainClient } from "../mcp/client.ts";
import type { Endpoint } from "../mcp/endpoint.ts";
import { Exchange, answerMessage, silentLine } from "../mcp/exchange.ts";
import { faultMessage, readMessage } from "../../protocol/rpc.ts";
import type { OpenEnvSessions } from "./dialect.ts";
import { OpenEnvSocket } from "./socket.ts";

export interface OpenSocketOptions {
  readonly sessions: OpenEnvSessions;
  readonly endpoint: Endpoint;
  readonly principal: Principal;
  /** The session to attach to, as newer clients ask for. */
  readonly sessionId: string | null;
}

/** Seats a socket: in a new seat, or in that of a session made over `/mcp`. */
export function openEnvSocket(environment: Environment, channel: Channel, options: OpenSocketOptions): ChannelListener {
  const { sessions, sessionId, principal, endpoint } = options;
  const { episodes } = environment;
  if (sessionId === null && episodes.size >= episodes.most) {
    const message = `Server at capacity: ${episodes.size}/${episodes.most} sessions active. Cannot accept new connections.`;
    return refused(channel, {
      message,
      code: "CAPACITY_REACHED",
      active_sessions: episodes.size,
      max_sessions: episodes.most,
    });
  }
  const attached = sessionId === null ? undefined : sessions.attach(sessionId);
  if (typeof attached === "string") return refused(channel, { message: attached, code: "SESSION_ERROR" });
  const seat = attached?.seat ?? episodes.seat();
  const onClosed = () => (attached ? attached.detach() : void seat.close());
  return new OpenEnvSocket(environment, channel, {
    principal,
    seat,
    mcp: (message) => relay(endpoint, principal, seat, message),
    onClosed,
  });
}

/** Older clients send before they read, and would see only a closed socket: it stays until they have asked. */
function refused(channel: Channel, data: object): ChannelListener {
  channel.send(JSON.stringify({ type: "error", data }));
  const timer = setTimeout(() => channel.close(), refusalMs);
  timer.unref();
  return { onMessage: () => channel.close(), onOversize: () => channel.close(), onClose: () => clearTimeout(timer) };
}

const refusalMs = 1000;

/** A JSON-RPC message in a frame: plain MCP, in the socket's own episode. */
async function relay(endpoint: Endpoint, principal: Principal, seat: Seat, data: unknown): Promise<unknown> {
  const message = readMessage(data);
  if (message.kind === "invalid") return JSON.parse(faultMessage(message.id, message.fault)) as unknown;
  if (message.kind !== "request") return null;
  const { id, method, params } = message;
  const episode = method === "tools/call" ? (await seat.episode()).id : undefined;
  const caller = {
    era: "legacy" as const,
    client: plainClient,
    principal,
    session: undefined,
    episode,
    seatKey: undefined,
  };
  const exchange = new Exchange({ id, method, params }, caller, silentLine);
  return JSON.parse(answerMessage(id, await endpoint.handle(exchange)) ?? "null") as unknown;
}
