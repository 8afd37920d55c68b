import type { ResponseWriter } from "../../transport/http-message.ts";
import { EventStream } from "../../transport/event-stream.ts";
import { answerMessage } from "./exchange.ts";
import type { McpAnswer, ReplyChannel } from "./exchange.ts";
import type { HttpSession } from "./http-sessions.ts";
import { cancelledCode } from "../../protocol/protocol.ts";
import { faultMessage, resultMessage } from "../../protocol/rpc.ts";
import type { RpcId } from "../../protocol/rpc.ts";

/**
 * Sends messages to the HTTP client of one request: as one JSON response, or as an event stream once a message precedes
 * the answer. In a session, the client can resume the stream over another response.
 */
export class HttpReplyChannel implements ReplyChannel {
  readonly #response: ResponseWriter;
  readonly #acceptsStream: boolean;
  readonly #session: HttpSession | undefined;
  #stream: EventStream | undefined;
  #streamId = "";
  #isOver = false;

  constructor(response: ResponseWriter, acceptsStream: boolean, session?: HttpSession) {
    this.#response = response;
    this.#acceptsStream = acceptsStream;
    this.#session = session;
  }

  get isOpen(): boolean {
    return this.#stream?.isOpen ?? (!this.#isOver && !this.#response.destroyed);
  }

  /** Sends a message before the answer. Dropped if the client does not accept streams. */
  send(message: string): void {
    if (this.#isOver || !this.#acceptsStream) return;
    this.open();
    this.#write(message);
  }

  /** Starts the stream. The main one belongs to the session, not to a request. */
  open(isMain = false): void {
    if (this.#stream || this.#isOver) return;
    this.#stream = new EventStream(this.#response);
    if (!this.#session) return;
    this.#streamId = this.#session.addStream(this, isMain);
    if (this.#session.sendsPrimingEvent)
      this.#stream.send("", { id: this.#session.log.append(this.#streamId, ""), retryMs: 1000 });
  }

  /** Continues over another response, starting with the events after `lastEventId`. */
  resume(response: ResponseWriter, lastEventId: string): void {
    const missed = this.#session?.log.after(lastEventId) ?? [];
    // A client whose request was cancelled gets no answer. With 405 it stops asking for one.
    if (this.#isOver && missed.length === 0) return void response.writeHead(405, { allow: "POST" }).end();
    this.#stream?.end();
    this.#stream = new EventStream(response);
    for (const { id, data } of missed) this.#stream.send(data, { id });
    if (this.#isOver) this.#stream.end();
  }

  /** A cancelled request is answered as official servers do: with an event stream that has no message. */
  answer(id: RpcId, answer: McpAnswer): void {
    if (this.#isOver) return;
    const isSilent = answer === "no-response" && this.#acceptsStream && !this.#response.destroyed;
    if (isSilent) this.#stream ??= new EventStream(this.#response);
    if (this.#stream) {
      const message = answerMessage(id, answer);
      if (message !== undefined) this.#write(message);
      this.end();
    } else {
      this.#isOver = true;
      writeAnswer(this.#response, id, answer);
    }
  }

  end(): void {
    if (this.#streamId !== "" && !this.#isOver) this.#session?.log.end(this.#streamId);
    this.#isOver = true;
    this.#stream?.end();
  }

  #write(message: string): void {
    const id = this.#session?.log.append(this.#streamId, message);
    this.#stream?.send(message, id === undefined ? {} : { id });
  }
}

/** Writes an answer as one JSON response. */
export function writeAnswer(response: ResponseWriter, id: RpcId | null, answer: McpAnswer, sessionId?: string): void {
  if (response.headersSent || response.destroyed) return;
  if (sessionId !== undefined) response.setHeader("mcp-session-id", sessionId);
  if (answer === "no-response") {
    writeText(response, 200, faultMessage(id, { code: cancelledCode, message: "Request cancelled" }));
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

function writeText(response: ResponseWriter, status: number, body: string): void {
  response.writeHead(status, jsonHeaders(Buffer.byteLength(body)));
  response.end(body);
}

function jsonHeaders(length: number): Record<string, string | number> {
  return { "content-type": "application/json", "content-length": length };
}
