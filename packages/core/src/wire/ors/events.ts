import type { ResponseWriter } from "../../transport/http-message.ts";
import { cutBetweenWords } from "../../bounds/cut-between-words.ts";

/** How a streamed request ends: with a result, as text, or with an error that ends the session. */
export interface OrsEnd {
  readonly event: "end" | "error";
  readonly data: string;
}

/**
 * The server-sent events of one ORS request: its `task_id`, then its end. A result is never cut into chunks, because
 * the client strips the beginning of each.
 */
export class OrsEvents {
  readonly #response: ResponseWriter;
  readonly #keepAlive: NodeJS.Timeout;

  constructor(response: ResponseWriter, taskId: string) {
    this.#response = response;
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
    });
    // The client disconnects after 30 s without a byte.
    this.#keepAlive = setInterval(() => this.#write(`: ping - ${new Date().toISOString()}\r\n\r\n`), 10_000).unref();
    response.once("close", () => clearInterval(this.#keepAlive));
    this.#send("task_id", taskId);
  }

  end({ event, data }: OrsEnd): void {
    clearInterval(this.#keepAlive);
    this.#send(event, data);
    this.#response.end();
  }

  #send(event: string, data: string): void {
    this.#write(`event: ${event}\r\ndata: ${data}\r\n\r\n`);
  }

  #write(text: string): void {
    if (!this.#response.destroyed && !this.#response.writableEnded) this.#response.write(text);
  }
}

/** Makes an event of a value. Python's `splitlines` also cuts at line ends that JSON leaves as they are. */
export function resultEnd(json: string): OrsEnd {
  return { event: "end", data: json.replaceAll(/[\u0085\u2028\u2029]/g, escaped) };
}

export function errorEnd(message: string): OrsEnd {
  return {
    event: "error",
    data: cutBetweenWords(message.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " "), maxMessageLength),
  };
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const maxMessageLength = 4000;
