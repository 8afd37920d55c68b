import type { Channel, ChannelListener } from "../transport/channel.ts";
import { notification, parseMessage, readMessage } from "../protocol/rpc.ts";
import type { Incoming, Params, RpcId } from "../protocol/rpc.ts";
import { lost } from "./lost.ts";
import type { Line, LineListener, LineRequest, Response } from "./line.ts";
import { readResponse } from "./response.ts";

/** A line over a pipe of messages: a child's standard streams, a WebSocket, memory. */
export class ChannelLine implements Line, ChannelListener {
  readonly #listener: LineListener;
  readonly #name: string;
  readonly #waiting = new Map<RpcId, Waiting>();
  #channel: Channel | undefined;
  #explain: () => string = () => "";
  #closed: Promise<void> | undefined;
  #isOpen = true;
  #isLeaving = false;
  #hasWarned = false;

  constructor(listener: LineListener, name: string) {
    this.#listener = listener;
    this.#name = name;
  }

  /** Puts the channel under the line. `explain` says more about its end, `closed` when all of it is gone. */
  attach(channel: Channel, options: { explain?: () => string; closed?: Promise<void> } = {}): this {
    this.#channel = channel;
    this.#explain = options.explain ?? this.#explain;
    this.#closed = options.closed;
    return this;
  }

  request({ id, method, params, signal }: LineRequest): Promise<Response> {
    if (!this.#isOpen) return Promise.reject(lost(`${this.#name} is closed`, { delivered: "no" }));
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
    // a pipe carries both eras alike
  }

  async close(): Promise<void> {
    this.#isLeaving = true;
    this.#channel?.close();
    if (!this.#closed) this.onClose();
    await this.#closed;
  }

  onMessage(text: string): void {
    const message = parseMessage(text);
    if (message.kind === "batch") for (const each of message.messages) this.#receive(readMessage(each), text);
    else this.#receive(message, text);
  }

  onOversize(): void {
    this.#warn("sent a message that is too long; it was skipped");
  }

  onClose(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const why = this.#explain();
    const error = lost(`the connection to ${this.#name} ended${why && `: ${why}`}`, { delivered: "unknown" });
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
        this.#warn(
          `sent something that is no MCP message: ${JSON.stringify(text.slice(0, 200))}; such lines are skipped`,
        );
    }
  }

  /** Once a line is enough: a chatty server would drown everything else. */
  #warn(warning: string): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#listener.onWarning(`${this.#name} ${warning}`);
  }

  #write(message: string): void {
    if (this.#isOpen) this.#channel?.send(message);
  }
}

interface Waiting {
  readonly resolve: (response: Response) => void;
  readonly reject: (error: Error) => void;
  readonly forget: () => void;
  readonly method: string;
}
