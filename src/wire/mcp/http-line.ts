import type { ServerResponse } from "node:http";
import { EventStream } from "../../transport/event-stream.ts";
import { answerMessage } from "./exchange.ts";
import type { Answer, Line } from "./exchange.ts";
import type { HttpSession } from "./http-sessions.ts";
import { faultMessage, resultMessage } from "../../protocol/rpc.ts";
import type { RpcId } from "../../protocol/rpc.ts";

/**
 * The way back to one HTTP client for one request: a plain JSON response, or, once there is something to say before
 * the answer, a stream of events. In a session, the stream can be picked up again over another response.
 */
export class HttpLine implements Line {
  readonly #response: ServerResponse;
  readonly #acceptsStream: boolean;
  readonly #session: HttpSession | undefined;
  #stream: EventStream | undefined;
  #streamId = "";
  #isOver = false;

  constructor(response: ServerResponse, acceptsStream: boolean, session?: HttpSession) {
    this.#response = response;
    this.#acceptsStream = acceptsStream;
    this.#session = session;
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

  /** Starts the stream, if it has not started. The main one belongs to the session, not to a request. */
  open(isMain = false): void {
    if (this.#stream || this.#isOver) return;
    this.#stream = new EventStream(this.#response);
    if (!this.#session) return;
    this.#streamId = this.#session.keep(this, isMain);
    if (this.#session.primes)
      this.#stream.send("", { id: this.#session.log.append(this.#streamId, ""), retryMs: 1000 });
  }

  /** Goes on over another response, after what was missed since `lastEventId`. */
  resume(response: ServerResponse, lastEventId: string): void {
    this.#stream?.end();
    this.#stream = new EventStream(response);
    for (const { id, data } of this.#session?.log.after(lastEventId) ?? []) this.#stream.send(data, { id });
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
      writeAnswer(this.#response, id, answer);
    }
  }

  /** Nothing more is coming. */
  end(): void {
    this.#isOver = true;
    this.#stream?.end();
  }

  #write(message: string): void {
    const id = this.#session?.log.append(this.#streamId, message);
    this.#stream?.send(message, id === undefined ? {} : { id });
  }
}

/** Writes an answer as one JSON response, in one write. */
export function writeAnswer(response: ServerResponse, id: RpcId | null, answer: Answer, sessionId?: string): void {
  if (response.headersSent || response.destroyed) return;
  if (sessionId !== undefined) response.setHeader("mcp-session-id", sessionId);
  if (answer === "silence") {
    response.writeHead(204).end();
  } else if ("fault" in answer) {
    writeText(response, answer.fault.status ?? 200, faultMessage(id, answer.fault));
  } else if (answer.challenge !== undefined) {
    response.setHeader("www-authenticate", answer.challenge);
    writeText(response, 403, resultMessage(id as RpcId, String(answer.result)));
  } else if (typeof answer.result === "string") {
    writeText(response, 200, resultMessage(id as RpcId, answer.result));
  } else {
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
    response.writeHead(200, jsonHeaders(Buffer.byteLength(head) + answer.result.bytes.length));
    response.cork();
    response.write(head);
    response.end(answer.result.bytes);
  }
}

function writeText(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, jsonHeaders(Buffer.byteLength(body)));
  response.end(body);
}

function jsonHeaders(length: number): Record<string, string | number> {
  return { "content-type": "application/json", "content-length": length };
}
