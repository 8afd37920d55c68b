import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import { BiplaneError } from "../errors.ts";
import type { Channel, ChannelListener } from "./channel.ts";
import { socketChannel } from "./socket-channel.ts";

export interface SocketOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxMessageBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Subprotocols to offer (default: `mcp`). */
  readonly protocols?: readonly string[];
  /** False offers no compression, which costs more than it saves for small frames (default: true). */
  readonly perMessageDeflate?: boolean;
}

/** Opens a WebSocket as a channel, one message per text frame. A rejected upgrade throws with its HTTP status. */
export async function openSocket(url: string, listener: ChannelListener, options: SocketOptions): Promise<Channel> {
  try {
    return await open(url, listener, options, options.protocols ?? ["mcp"]);
  } catch (error) {
    if (!(error instanceof Error) || !/subprotocol/i.test(error.message)) throw error;
    return open(url, listener, options, []); // The server does not know subprotocols; try without.
  }
}

function open(
  url: string,
  listener: ChannelListener,
  options: SocketOptions,
  protocols: readonly string[],
): Promise<Channel> {
  const { headers = {}, maxMessageBytes, signal, perMessageDeflate = true } = options;
  signal?.throwIfAborted();
  const limits = { maxPayload: maxMessageBytes, handshakeTimeout: 30_000 };
  const socket = new WebSocket(url, [...protocols], { headers, perMessageDeflate, ...limits });
  return new Promise((resolve, reject) => {
    const abort = () => socket.terminate();
    signal?.addEventListener("abort", abort, { once: true });
    socket.once("unexpected-response", (_, response) => {
      reject(refusal(url, response));
      socket.terminate();
    });
    socket.on("error", reject);
    socket.once("open", () => {
      signal?.removeEventListener("abort", abort);
      const channel = socketChannel(socket, () => listener);
      resolve({
        send: (message) => channel.send(message),
        close: () => {
          channel.close();
          setTimeout(() => socket.terminate(), 500).unref();
        },
      });
    });
  });
}

function refusal(url: string, response: IncomingMessage): BiplaneError {
  const { statusCode: status = 0, headers } = response;
  response.resume();
  const code = status === 401 ? "UNAUTHORIZED" : status === 403 ? "FORBIDDEN" : "EXECUTION_ERROR";
  const details = { status, challenge: headers["www-authenticate"] };
  return new BiplaneError(code, `${url} rejected the WebSocket with HTTP status ${status}.`, { details });
}
