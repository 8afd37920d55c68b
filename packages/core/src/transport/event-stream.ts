import type { ResponseWriter } from "./http-message.ts";
import { UnsentBytes } from "./unsent-limit.ts";

/** Server-sent events over one HTTP response, with comments to keep it alive. */
export class EventStream {
  readonly #response: ResponseWriter;
  readonly #unsent: UnsentBytes;
  readonly #keepAlive: NodeJS.Timeout;

  constructor(response: ResponseWriter, headers: Record<string, string> = {}) {
    this.#response = response;
    this.#unsent = new UnsentBytes(() => response.writableLength);
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      ...headers,
    });
    response.flushHeaders();
    this.#keepAlive = setInterval(() => this.#write(": keep-alive\n\n"), 15_000);
    this.#keepAlive.unref();
    response.once("close", () => clearInterval(this.#keepAlive));
  }

  get isOpen(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  /** `data` is one line of JSON, or empty for an event with only an id. */
  send(data: string, options: { id?: string; retryMs?: number } = {}): void {
    const id = options.id === undefined ? "" : `id: ${options.id}\n`;
    const retry = options.retryMs === undefined ? "" : `retry: ${options.retryMs}\n`;
    this.#write(`${data === "" ? "" : "event: message\n"}${id}${retry}data: ${data}\n\n`);
  }

  end(): void {
    clearInterval(this.#keepAlive);
    this.#response.end();
  }

  /** Disconnects a slow client instead of buffering without limit. */
  #write(text: string): void {
    if (!this.isOpen) return;
    this.#unsent.send(() => this.#response.write(text));
    if (this.#unsent.isTooMuch) this.#response.destroy();
  }
}
