import { contain } from "../bounds/contain.ts";
import type { Channel, ChannelListener } from "../transport/channel.ts";
import { parseMessage } from "../protocol/parse-message.ts";
import { notification, readMessage } from "../protocol/rpc.ts";
import type { Incoming, Params, RpcId } from "../protocol/rpc.ts";
import { connectionLost } from "./connection-lost.ts";
import type { Transport, TransportListener, TransportRequest, TransportResponse } from "./transport.ts";
import { readResponse } from "./response.ts";
import { cutBetweenWords } from "../bounds/cut-between-words.ts";

/** Transport over a message channel: a child process's standard streams, a WebSocket or memory. */
export class ChannelTransport implements Transport, ChannelListener {
  readonly #listener: TransportListener;
  readonly #name: string;
  readonly #waiting = new Map<RpcId, Waiting>();
  #channel: Channel | undefined;
  #explain: () => string = () => "";
  #closed: Promise<void> | undefined;
  #isOpen = true;
  #isLeaving = false;
  #hasWarned = false;

  constructor(listener: TransportListener, name: string) {
    this.#listener = listener;
    this.#name = name;
  }

  /** Sets the channel. `explain` adds a reason when it closes; `closed` resolves when its resources are released. */
  attach(channel: Channel, options: { explain?: () => string; closed?: Promise<void> } = {}): this {
    this.#channel = channel;
    this.#explain = options.explain ?? this.#explain;
    this.#closed = options.closed;
    return this;
  }

  request({ id, method, params, signal }: TransportRequest): Promise<TransportResponse> {
    if (!this.#isOpen)
      return Promise.reject(connectionLost(`The connection to ${this.#name} is closed.`, { delivered: "no" }));
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiting.delete(id);
        this.#write(notification("notifications/cancelled", { requestId: id, reason: "the caller cancelled" }));
        reject(signal.reason as Error);
      };
      if (signal.aborted) return reject(signal.reason as Error);
      signal.addEventListener("abort", abort, { once: true });
      const forget = () => signal.removeEventListener("abort", abort);
      this.#waiting.set(id, { resolve, reject, forget, method });
      this.#write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  async send(message: Params): Promise<void> {
    this.#write(JSON.stringify(message));
  }

  agree(): void {
    // a channel carries both eras the same way
  }

  async close(): Promise<void> {
    this.#isLeaving = true;
    this.#channel?.close();
    if (!this.#closed) this.onClose();
    await this.#closed;
  }

  onMessage(text: string): void {
    void contain(
      () => this.#channel?.close(),
      () => {
        const message = parseMessage(text);
        if (message.kind === "batch") for (const each of message.messages) this.#receive(readMessage(each), text);
        else this.#receive(message, text);
      },
    );
  }

  onOversize(): void {
    this.#warn("sent a message over maxMessageBytes, which was skipped.");
  }

  onClose(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const why = this.#explain();
    const error = connectionLost(`The connection to ${this.#name} ended${why && `: ${why}`}.`, {
      delivered: "unknown",
    });
    for (const { reject, forget } of this.#waiting.values()) {
      forget();
      reject(error);
    }
    this.#waiting.clear();
    if (!this.#isLeaving) this.#listener.onLost(error);
  }

  #receive(message: Incoming, text: string): void {
    switch (message.kind) {
      case "response": {
        const waiting = this.#waiting.get(message.id);
        this.#waiting.delete(message.id);
        waiting?.forget();
        return waiting?.resolve(readResponse(message.result, message.error));
      }
      case "request":
        return this.#listener.onRequest(message.id, message.method, message.params);
      case "notification":
        return this.#listener.onNotification(message.method, message.params);
      default:
        if (message.kind === "invalid" && this.#reject(message)) return;
        this.#warn(
          `sent a line that is not an MCP message: ${JSON.stringify(cutBetweenWords(text, 200))}. Such lines are skipped.`,
        );
    }
  }

  /** A response that cannot be read fails its request. */
  #reject({ id, fault }: Extract<Incoming, { kind: "invalid" }>): boolean {
    const waiting = id === null ? undefined : this.#waiting.get(id);
    if (id === null || !waiting) return false;
    this.#waiting.delete(id);
    waiting.forget();
    waiting.resolve({ error: { code: fault.code, message: fault.message } });
    return true;
  }

  /** Warns once per connection, so that a noisy server does not flood the output. */
  #warn(warning: string): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#listener.onWarning(`${capitalized(this.#name)} ${warning}`);
  }

  #write(message: string): void {
    if (this.#isOpen) this.#channel?.send(message);
  }
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface Waiting {
  readonly resolve: (response: TransportResponse) => void;
  readonly reject: (error: Error) => void;
  readonly forget: () => void;
  readonly method: string;
}
