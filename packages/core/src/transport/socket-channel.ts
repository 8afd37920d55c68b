import type { WebSocket } from "ws";
import { contain } from "../bounds/contain.ts";
import { decodeText } from "../bounds/decode-text.ts";
import { loopTurns } from "../bounds/loop-turns.ts";
import type { Channel, ChannelListener } from "./channel.ts";
import { UnsentBytes } from "./unsent-limit.ts";

export interface SocketCaller {
  readonly id: string;
  /** Those with the same key share their turns. */
  readonly key: unknown;
  /** Its share of the bytes of messages that have begun to arrive. `resize` returns an error beyond the limit. */
  readonly arriving?: { resize(bytes: number): Error | undefined; release(): void };
}

export interface SocketChannelOptions {
  readonly isClosing?: () => boolean;
  /** Who is at the other end. Callers take turns (default: each socket has turns of its own). */
  readonly caller?: SocketCaller;
  /** Sends a message if it can. False if `ws` must send it. */
  readonly write?: ((message: string | Uint8Array, done: () => void) => boolean) | undefined;
}

/**
 * A channel over a WebSocket, one message per text frame. While the peer does not read, its messages wait, and then its
 * socket is not read either. A peer that lets too much pile up is disconnected.
 */
export function socketChannel(
  socket: WebSocket,
  open: (channel: Channel) => ChannelListener,
  { isClosing = () => false, caller = { id: "", key: socket }, write = () => false }: SocketChannelOptions = {},
): Channel {
  const unsent = new UnsentBytes(() => socket.bufferedAmount);
  const disconnectSlowPeer = () => {
    if (unsent.isTooMuch) socket.terminate();
  };
  const onSent = () => inbox.deliver();
  const channel: Channel = {
    send(message) {
      unsent.send(() => {
        if (!write(message, onSent)) socket.send(message, { binary: false }, onSent);
      });
      disconnectSlowPeer();
    },
    close: () => socket.close(1000),
  };
  const listener = open(channel);
  const inbox = new Inbox(socket, listener, { isClosing, caller });
  socket.on("message", (data: Buffer) => inbox.add(data));
  socket.on("error", () => undefined); // "close" follows.
  socket.on("close", () => {
    inbox.clear();
    listener.onClose();
  });
  keepAlive(socket);
  return channel;
}

type InboxOptions = Required<Pick<SocketChannelOptions, "isClosing" | "caller">>;

/** The messages that arrived while the peer did not read or the listener was busy. */
class Inbox {
  readonly #socket: WebSocket;
  readonly #listener: ChannelListener;
  readonly #options: InboxOptions;
  #waiting: Buffer[] = [];
  #bytes = 0;
  /** While the listener is busy, or other callers have their turn. */
  #isWaiting = false;

  constructor(socket: WebSocket, listener: ChannelListener, options: InboxOptions) {
    this.#socket = socket;
    this.#listener = listener;
    this.#options = options;
  }

  add(message: Buffer): void {
    loopTurns.seen(this.#options.caller.id);
    this.#waiting.push(message);
    this.#bytes += message.length + overheadBytes;
    this.deliver();
    if (this.#bytes > maxWaitingBytes) this.#socket.pause();
  }

  /** Hands over the next message in its caller's turn, unless the listener is busy or the peer has too much to read. */
  deliver(): void {
    if (this.#canDeliver()) {
      this.#isWaiting = true;
      loopTurns.run(this.#options.caller.key, () => {
        this.#isWaiting = false;
        if (this.#canDeliver()) this.#deliverOne();
        this.deliver();
      });
    }
    if (this.#socket.isPaused && this.#bytes <= maxWaitingBytes) this.#socket.resume();
  }

  clear(): void {
    this.#waiting = [];
  }

  #canDeliver(): boolean {
    if (this.#isWaiting || this.#waiting.length === 0 || this.#options.isClosing()) return false;
    return this.#socket.bufferedAmount <= maxUnreadBytes;
  }

  #deliverOne(): void {
    const message = this.#waiting.shift() as Buffer;
    this.#bytes -= message.length + overheadBytes;
    const busy = contain(
      () => this.#socket.terminate(),
      () => this.#listener.onMessage(decodeText(message) ?? message.toString()),
    );
    if (!busy) return;
    this.#isWaiting = true;
    void busy.then(() => {
      this.#isWaiting = false;
      this.deliver();
    });
  }
}

/** Messages are not handled while this much of the answers is unread. */
export const maxUnreadBytes = 1024 * 1024;
/** The socket is not read while this much waits to be handled. */
export const maxWaitingBytes = 1024 * 1024;
/** What a waiting message takes besides its bytes. */
const overheadBytes = 128;
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
