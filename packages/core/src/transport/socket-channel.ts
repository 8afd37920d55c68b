import type { WebSocket } from "ws";
import { decodeText } from "../bounds/decode-text.ts";
import type { Channel, ChannelListener } from "./channel.ts";
import { UnsentBytes } from "./unsent-limit.ts";

/**
 * A channel over a WebSocket, one message per text frame. While the peer does not read, its messages wait, and then its
 * socket is not read either. A peer that lets too much pile up is disconnected.
 */
export function socketChannel(
  socket: WebSocket,
  open: (channel: Channel) => ChannelListener,
  { isClosing = () => false }: { readonly isClosing?: () => boolean } = {},
): Channel {
  const unsent = new UnsentBytes(() => socket.bufferedAmount);
  const disconnectSlowPeer = () => {
    if (unsent.isTooMuch) socket.terminate();
  };
  const channel: Channel = {
    send(message) {
      unsent.send(() => socket.send(message, { binary: false }, () => inbox.deliver()));
      disconnectSlowPeer();
    },
    close: () => socket.close(1000),
  };
  const listener = open(channel);
  const inbox = new Inbox(socket, listener, isClosing);
  socket.on("message", (data: Buffer) => inbox.add(data));
  socket.on("ping", disconnectSlowPeer); // Each ping is answered.
  socket.on("error", () => undefined); // "close" follows.
  socket.on("close", () => {
    inbox.clear();
    listener.onClose();
  });
  keepAlive(socket);
  return channel;
}

/** The messages that arrived while the peer did not read or the listener was busy. */
class Inbox {
  readonly #socket: WebSocket;
  readonly #listener: ChannelListener;
  readonly #isClosing: () => boolean;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #isDelivering = false;

  constructor(socket: WebSocket, listener: ChannelListener, isClosing: () => boolean) {
    this.#socket = socket;
    this.#listener = listener;
    this.#isClosing = isClosing;
  }

  add(message: Buffer): void {
    this.#waiting.push(message);
    this.#bytes += message.length + overheadBytes;
    this.deliver();
    if (this.#bytes > maxWaitingBytes) this.#socket.pause();
  }

  /** Hands over messages in order, until the listener is busy, the peer has too much to read, or it took too long. */
  deliver(): void {
    if (this.#isDelivering || this.#isClosing()) return;
    this.#isDelivering = true;
    let busy: void | Promise<void> = undefined;
    let at = 0;
    while (!busy && at < this.#waiting.length && this.#socket.bufferedAmount <= maxUnreadBytes) {
      if (isTurnOver()) busy = new Promise(setImmediate);
      else busy = this.#take(this.#waiting[at++] as Buffer);
    }
    this.#waiting.splice(0, at);
    if (this.#socket.isPaused && this.#bytes <= maxWaitingBytes) this.#socket.resume();
    if (!busy) this.#isDelivering = false;
    else void busy.finally(() => this.#again());
  }

  clear(): void {
    this.#waiting = [];
  }

  #take(message: Buffer): void | Promise<void> {
    this.#bytes -= message.length + overheadBytes;
    return this.#listener.onMessage(decodeText(message) ?? message.toString());
  }

  #again(): void {
    this.#isDelivering = false;
    this.deliver();
  }
}

/** Messages are not handled while this much of the answers is unread. */
export const maxUnreadBytes = 1024 * 1024;
/** The socket is not read while this much waits to be handled. */
export const maxWaitingBytes = 1024 * 1024;
/** What a waiting message takes besides its bytes. */
const overheadBytes = 128;
/** The messages that arrive together are handled for this long, then it is the turn of other work. */
const sliceMs = 3;

let turnEndsAt: number | undefined;

/** True if messages of WebSockets took their time in this turn of the event loop. */
function isTurnOver(): boolean {
  if (turnEndsAt !== undefined) return performance.now() > turnEndsAt;
  turnEndsAt = performance.now() + sliceMs;
  setImmediate(() => (turnEndsAt = undefined));
  return false;
}

/** Terminates the connection if a ping is not answered. */
function keepAlive(socket: WebSocket): void {
  let isAnswered = true;
  const timer = setInterval(() => {
    // While this side does not read because it is busy, it does not see the answer.
    const isWaiting = socket.isPaused && socket.bufferedAmount === 0;
    if (!isAnswered && !isWaiting) return socket.terminate();
    isAnswered = false;
    socket.ping();
  }, 30_000);
  timer.unref();
  socket.on("pong", () => {
    isAnswered = true;
  });
  socket.on("close", () => clearInterval(timer));
}
