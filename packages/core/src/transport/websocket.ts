import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import { loopTurns } from "../bounds/loop-turns.ts";
import type { Channel, ChannelListener } from "./channel.ts";
import { socketChannel } from "./socket-channel.ts";
import type { SocketCaller } from "./socket-channel.ts";

/** A WebSocket that is about to be opened. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Turns upgraded connections into channels, one message per text frame. */
export class WebSocketListener {
  readonly #server: WebSocketServer;
  #isClosing = false;

  constructor(options: { maxMessageBytes: number; subprotocol?: string }) {
    this.#server = new WebSocketServer({
      noServer: true,
      autoPong: false,
      maxPayload: options.maxMessageBytes,
      handleProtocols: (offered) =>
        options.subprotocol && offered.has(options.subprotocol) ? options.subprotocol : false,
    });
  }

  accept({ request, socket, head }: Upgrade, caller: SocketCaller, open: (channel: Channel) => ChannelListener): void {
    this.#server.handleUpgrade(request, socket, head, (client) => {
      socketChannel(client, open, { caller, isClosing: () => this.#isClosing });
      answerPings(client, caller);
      readInTurns(socket, client, caller);
    });
  }

  /** Messages that arrive from now on are not answered here. */
  stopReading(): void {
    this.#isClosing = true;
  }

  close(): void {
    this.#isClosing = true;
    for (const client of this.#server.clients) client.close(1001, "The server is closing");
    setTimeout(() => {
      for (const client of this.#server.clients) client.terminate();
    }, 500).unref();
    this.#server.close();
  }
}

/** Answers the latest ping, as the standard allows: a peer can send thousands in one packet. */
function answerPings(client: WebSocket, { key }: SocketCaller): void {
  let latest: Buffer | undefined;
  let isAnswering = false;
  const answer = () => {
    const data = latest;
    latest = undefined;
    if (data === undefined || client.readyState !== client.OPEN) isAnswering = false;
    else client.pong(data, false, () => loopTurns.run(key, answer));
  };
  client.on("ping", (data: Buffer) => {
    latest = data;
    if (isAnswering) return;
    isAnswering = true;
    loopTurns.run(key, answer);
  });
}

/** Frames are parsed as they arrive, before anything can wait. A packet with many of them delays the next one. */
function readInTurns(socket: Duplex, client: WebSocket, { key }: SocketCaller): void {
  let startedAt = 0;
  socket.prependListener("data", () => (startedAt = performance.now()));
  socket.on("data", () => {
    const tookMs = performance.now() - startedAt;
    if (tookMs < longMs) return;
    socket.pause();
    loopTurns.spent(key, tookMs, () => client.isPaused || socket.resume());
  });
}

const longMs = 1;
