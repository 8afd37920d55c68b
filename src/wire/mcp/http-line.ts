import type { ServerResponse } from "node:http";
import { EventStream } from "../../transport/event-stream.ts";
import type { EventLog } from "./event-log.ts";
import { answerMessage } from "./exchange.ts";
import type { Answer } from "./exchange.ts";
import { faultMessage, resultMessage } from "./rpc.ts";
import type { RpcId } from "./rpc.ts";

/**
 * The way back to one HTTP client for one request: a plain JSON response, or, once there is something to say before
 * the answer, a stream of events. With a log, the stream can be picked up again over another response.
 */
export class HttpLine {
  readonly #response: ServerResponse;
  readonly #acceptsStream: boolean;
  readonly #resumable: Resumable | undefined;
  #stream: EventStream | undefined;
  #isOver = false;

  constructor(response: ServerResponse, options: { acceptsStream: boolean; resumable?: Resumable | undefined }) {
    this.#response = response;
    this.#acceptsStream = options.acceptsStream;
    this.#resumable = options.resumable;
  }

  /** Whether there is a stream that a client may come back for. */
  get isStream(): boolean {
    return this.#stream !== undefined;
  }

  /** Whether a client is reading. */
  get isOpen(): boolean {
    return this.#stream?.isOpen ?? (!this.#isOver && !this.#response.destroyed);
  }

  /** Sends a message ahead of the answer. A client that takes no streams does not get it. */
  send(message: string): void {
    if (this.#isOver || !this.#acceptsStream) return;
    this.open();
    this.#write(message);
  }

  /** Starts the stream, if it has not started. */
  open(): void {
    if (this.#stream || this.#isOver) return;
    this.#stream = new EventStream(this.#response, this.#resumable?.headers);
    if (this.#resumable?.primes)
      this.#stream.send("", { id: this.#resumable.log.append(this.#resumable.id, ""), retryMs: 1000 });
  }

  /** Goes on over another response, after what was missed since `lastEventId`. */
  resume(response: ServerResponse, lastEventId: string): void {
    this.#stream?.end();
    this.#stream = new EventStream(response, this.#resumable?.headers);
    for (const { id, data } of this.#resumable?.log.after(lastEventId) ?? []) this.#stream.send(data, { id });
    if (this.#isOver) this.#stream.end();
  }

  answer(id: RpcId, answer: Answer): void {
    if (this.#isOver) return;
    if (this.#stream) {
      const message = answerMessage(id, answer);
      if (message !== undefined) this.#write(message);
      this.end();
    } else {
      this.#isOver = true;
      writeAnswer(this.#response, id, answer, this.#resumable?.headers);
    }
  }

  /** Nothing more is coming. */
  end(): void {
    if (this.#isOver) return;
    if (!this.#stream) return this.answer(0, "silence");
    this.#isOver = true;
    this.#stream.end();
  }

  #write(message: string): void {
    const id = this.#resumable?.log.append(this.#resumable.id, message);
    this.#stream?.send(message, id === undefined ? {} : { id });
  }
}

export interface Resumable {
  readonly id: string;
  readonly log: EventLog;
  /** Begin with an empty event, so that there is an id to come back with. */
  readonly primes: boolean;
  readonly headers: Record<string, string>;
}

/** Writes an answer as one JSON response, in one write. */
export function writeAnswer(
  response: ServerResponse,
  id: RpcId | null,
  answer: Answer,
  headers?: Record<string, string>,
): void {
  if (response.headersSent || response.destroyed) return;
  if (answer === "silence") {
    response.writeHead(204, headers).end();
  } else if ("fault" in answer) {
    const body = faultMessage(id, answer.fault);
    response.writeHead(answer.fault.status ?? 200, jsonHeaders(Buffer.byteLength(body), headers)).end(body);
  } else if (typeof answer.result === "string") {
    const body = resultMessage(id as RpcId, answer.result);
    response.writeHead(200, jsonHeaders(Buffer.byteLength(body), headers)).end(body);
  } else {
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
    response.writeHead(200, jsonHeaders(Buffer.byteLength(head) + answer.result.length + 1, headers));
    response.cork();
    response.write(head);
    response.write(answer.result);
    response.end("}");
  }
}

function jsonHeaders(length: number, more: Record<string, string> | undefined): Record<string, string | number> {
  return { "content-type": "application/json", "content-length": length, ...more };
}
