import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import { BiplaneError } from "../errors.ts";
import type { Channel, ChannelListener } from "./channel.ts";

export interface SocketOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxMessageBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Opens a WebSocket as a channel, a message a text frame. A server that refuses does so with its HTTP status. */
export async function openSocket(url: string, listener: ChannelListener, options: SocketOptions): Promise<Channel> {
  try {
    return await open(url, listener, options, ["mcp"]);
  } catch (error) {
    if (!(error instanceof Error) || !/subprotocol/i.test(error.message)) throw error;
    return open(url, listener, options, []); // a server that knows no subprotocols speaks all the same
  }
}

function open(url: string, listener: ChannelListener, options: SocketOptions, protocols: string[]): Promise<Channel> {
  const { headers = {}, maxMessageBytes, signal } = options;
  signal?.throwIfAborted();
  const socket = new WebSocket(url, protocols, { headers, maxPayload: maxMessageBytes, handshakeTimeout: 30_000 });
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
      attach(socket, listener);
      resolve({
        send: (message) => socket.send(message, { binary: false }),
        close: () => {
          socket.close(1000);
          setTimeout(() => socket.terminate(), 500).unref();
        },
      });
    });
  });
}

function attach(socket: WebSocket, listener: ChannelListener): void {
  let answered = true;
  const heartbeat = setInterval(() => {
    if (!answered) return socket.terminate();
    answered = false;
    socket.ping();
  }, 30_000);
  heartbeat.unref();
  socket.on("pong", () => {
    answered = true;
  });
  socket.on("message", (data: Buffer) => listener.onMessage(data.toString()));
  socket.on("close", () => {
    clearInterval(heartbeat);
    listener.onClose();
  });
}

function refusal(url: string, response: IncomingMessage): BiplaneError {
  const { statusCode: status = 0, headers } = response;
  response.resume();
  const code = status === 401 || status === 403 ? "UNAUTHORIZED" : "EXECUTION_ERROR";
  const details = { status, challenge: headers["www-authenticate"] };
  return new BiplaneError(code, `${url} refused the WebSocket with status ${status}`, { details });
}
