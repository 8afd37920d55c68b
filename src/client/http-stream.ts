import { readEvents } from "../transport/event-source.ts";
import { isLost, lost } from "./lost.ts";

export interface HttpStreamOptions {
  readonly maxMessageBytes: number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A stream of events that goes on over another response when one breaks off. */
export class HttpStream {
  readonly #options: HttpStreamOptions;
  readonly #reopen: (lastEventId: string | undefined) => Promise<Response>;
  #lastEventId: string | undefined;
  #pauseMs = 1000;
  #failures = 0;

  constructor(options: HttpStreamOptions, reopen: (lastEventId: string | undefined) => Promise<Response>) {
    this.#options = options;
    this.#reopen = reopen;
  }

  /**
   * The data of every event. Ends where the stream ended and cannot be picked up: without an event id there is nothing
   * to come back with, unless it is a standing stream, which is simply opened again.
   */
  async *read(
    first: Response,
    options: { isResumable: boolean; isStanding?: boolean; signal: AbortSignal },
  ): AsyncGenerator<string, void, undefined> {
    const { isResumable, isStanding = false, signal } = options;
    let response: Response | undefined = first;
    for (;;) {
      if (response?.body) yield* this.#events(response.body, signal);
      if (!isResumable || (this.#lastEventId === undefined && !isStanding)) return;
      if (this.#failures > mostFailures && !isStanding) return;
      const doublings = Math.min(Math.max(this.#failures, 1), mostFailures) - 1;
      await this.#options.sleep(this.#pauseMs * 2 ** doublings, signal);
      response = await this.#next(signal);
      if (response === undefined || response.ok) continue;
      await response.body?.cancel();
      if (response.status === 404) throw lost("the server no longer knows our session", { delivered: "unknown" });
      if (response.status >= 400 && response.status < 500) return;
    }
  }

  async *#events(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    try {
      for await (const { data, id, retryMs } of readEvents(body, { maxBytes: this.#options.maxMessageBytes })) {
        this.#failures = 0;
        if (id !== undefined && id !== "") this.#lastEventId = id;
        if (retryMs !== undefined) this.#pauseMs = Math.min(retryMs, 60_000);
        if (data !== "") yield data;
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof RangeError) throw error;
      // it broke off; whether it can be picked up is decided by the caller
    }
    this.#failures++;
  }

  async #next(signal: AbortSignal): Promise<Response | undefined> {
    try {
      return await this.#reopen(this.#lastEventId);
    } catch (error) {
      if (signal.aborted || !isLost(error) || this.#failures > mostFailures) throw error;
      this.#failures++;
      return undefined;
    }
  }
}

const mostFailures = 5;
