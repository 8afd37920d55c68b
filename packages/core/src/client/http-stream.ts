import { readEventStream } from "../transport/event-source.ts";
import { isConnectionLost, connectionLost } from "./connection-lost.ts";

export interface HttpStreamOptions {
  readonly maxMessageBytes: number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** An event stream that resumes with a new request when a response breaks off. */
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
   * Yields the data of every event until the stream ends for good. A stream without event ids cannot be resumed,
   * unless it is persistent: then it is opened again.
   */
  async *read(
    first: Response,
    options: { isResumable: boolean; isPersistent?: boolean; signal: AbortSignal },
  ): AsyncGenerator<string, void, undefined> {
    const { isResumable, isPersistent = false, signal } = options;
    let response: Response | undefined = first;
    for (;;) {
      if (response?.body) yield* this.#events(response.body, signal);
      if (!isResumable || (this.#lastEventId === undefined && !isPersistent)) return;
      if (this.#failures > maxFailures && !isPersistent) return;
      const doublings = Math.min(Math.max(this.#failures, 1), maxFailures) - 1;
      await this.#options.sleep(this.#pauseMs * 2 ** doublings, signal);
      response = await this.#next(signal);
      if (response === undefined || response.ok) continue;
      await response.body?.cancel();
      if (response.status === 404)
        throw connectionLost("The server no longer knows this session.", { delivered: "unknown" });
      if (response.status >= 400 && response.status < 500) return;
    }
  }

  async *#events(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    try {
      for await (const { data, id, retryMs } of readEventStream(body, { maxBytes: this.#options.maxMessageBytes })) {
        this.#failures = 0;
        if (id !== undefined && id !== "") this.#lastEventId = id;
        if (retryMs !== undefined) this.#pauseMs = Math.min(retryMs, 60_000);
        if (data !== "") yield data;
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof RangeError) throw error;
      // the stream broke off; read() decides whether to resume it
    }
    this.#failures++;
  }

  async #next(signal: AbortSignal): Promise<Response | undefined> {
    try {
      return await this.#reopen(this.#lastEventId);
    } catch (error) {
      if (signal.aborted || !isConnectionLost(error) || this.#failures > maxFailures) throw error;
      this.#failures++;
      return undefined;
    }
  }
}

const maxFailures = 5;
