import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import { loopTurns } from "../bounds/loop-turns.ts";
import type { Channel, ChannelListener } from "./channel.ts";
import { FrameReader, writeFrame } from "./fast-lane/text-frames.ts";
import { socketChannel } from "./socket-channel.ts";
import type { SocketCaller } from "./socket-channel.ts";

/** A WebSocket that is about to be opened. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

interface ListenerOptions {
  readonly maxMessageBytes: number;
  readonly subprotocol?: string;
  /** False leaves all frames to `ws` (default: true). */
  readonly isFast?: boolean;
}

/** Turns upgraded connections into channels, one message per text frame. */
export class WebSocketListener {
  readonly #server: WebSocketServer;
  #isClosing = false;

  readonly #options: ListenerOptions;

  constructor(options: ListenerOptions) {
    this.#options = options;
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
      const { isFast = true, maxMessageBytes } = this.#options;
      readInTurns(socket, client, { caller, maxTextBytes: isFast ? Math.min(maxMessageBytes, pieceBytes) : -1 });
      chargeMessages(socket, client, caller);
      const write = isFast && client.extensions === "" ? textWriter(socket, client) : undefined;
      socketChannel(client, open, { caller, isClosing: () => this.#isClosing, write });
      answerPings(client, caller);
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

/** Sends short messages without `ws`. */
function textWriter(socket: Duplex, client: WebSocket) {
  return (message: string | Uint8Array, done: () => void): boolean =>
    typeof message === "string" && client.readyState === client.OPEN && writeFrame(socket, message, done);
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

/** Charges the caller for a long message while it arrives, and disconnects a peer that does not finish it. */
function chargeMessages(socket: Duplex, client: WebSocket, { arriving }: SocketCaller): void {
  let bytes = 0;
  let deadline: NodeJS.Timeout | undefined;
  const release = () => {
    bytes = 0;
    if (deadline === undefined) return;
    clearTimeout(deadline);
    deadline = undefined;
    arriving?.release();
  };
  // They can come between the frames of a message.
  const leaveOut = (data: Buffer) => (bytes = Math.max(0, bytes - data.length - controlFrameBytes));
  socket.prependListener("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes < longMessageBytes) return;
    deadline ??= setTimeout(() => client.terminate(), arriveWithinMs).unref();
    if (arriving?.resize(bytes)) client.terminate();
  });
  client.on("message", release).on("close", release).on("ping", leaveOut).on("pong", leaveOut);
}

/**
 * Hands over what arrives to `ws` in pieces, each in its caller's turn. `ws` parses all of a packet at once, and that can
 * be thousands of frames.
 */
function readInTurns(
  socket: Duplex,
  client: WebSocket,
  { caller: { key }, maxTextBytes }: { caller: SocketCaller; maxTextBytes: number },
): void {
  const parsers = socket.listeners("data");
  const reader = new FrameReader(
    client,
    (bytes) => {
      for (const parser of parsers) parser.call(socket, bytes);
    },
    maxTextBytes,
  );
  const parse = (chunk: Buffer) => {
    if (!socket.destroyed && !socket.readableEnded) reader.read(chunk);
  };
  let waiting = 0;
  socket.removeAllListeners("data");
  socket.on("data", (chunk: Buffer) => {
    if (chunk.length <= pieceBytes && waiting === 0) return parse(chunk);
    socket.pause();
    for (let from = 0; from < chunk.length; from += pieceBytes) {
      waiting++;
      loopTurns.add(key, () => {
        parse(chunk.subarray(from, from + pieceBytes));
        if (--waiting === 0 && !client.isPaused) socket.resume();
      });
    }
  });
}

/** A packet of this size is parsed at once. It holds up to some hundred frames. */
const pieceBytes = 4096;
/** Head and mask. */
const controlFrameBytes = 6;
const longMessageBytes = 64 * 1024;
/** As long as the body of a request may take. */
const arriveWithinMs = 60_000;
