import { BiplaneError } from "../errors.ts";
import { lost } from "./lost.ts";
import type { Connection } from "./connection.ts";
import { isLost } from "./lost.ts";
import type { ReconnectOptions } from "./options.ts";

export interface LinkOptions {
  readonly open: (signal: AbortSignal) => Promise<Connection>;
  readonly reconnect: ReconnectOptions;
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called with every connection after the first. */
  readonly onReopened: (connection: Connection) => void;
  readonly onDropped: () => void;
}

/** The connection that there is at the moment, opened again when it was lost. */
export class Link {
  readonly #options: LinkOptions;
  readonly #closing = new AbortController();
  #current: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #isFirst = true;
  #failures = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** The last connection that stood, or stands. */
  get current(): Connection | undefined {
    return this.#current;
  }

  /** A connection that stands, as far as anybody knows. Gives up waiting when `signal` says so. */
  async get(signal?: AbortSignal): Promise<Connection> {
    if (this.isClosed) throw closed();
    if (this.#current) return this.#current;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    if (!signal) return this.#opening;
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason as Error);
      signal.addEventListener("abort", abort, { once: true });
      this.#opening?.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    });
  }

  /** The connection has shown that it works. */
  proved(connection: Connection): void {
    if (connection === this.#current) this.#failures = 0;
  }

  /** The connection has failed; the next `get` opens another. */
  drop(connection: Connection): void {
    if (connection !== this.#current) return;
    this.#current = undefined;
    this.#failures++;
    void connection.close().catch(() => undefined); // it is lost already
    if (!this.isClosed) this.#options.onDropped();
  }

  async close(): Promise<void> {
    this.#closing.abort(closed());
    const connection = this.#current ?? (await this.#opening?.catch(() => undefined));
    this.#current = undefined;
    await connection?.close();
  }

  async #open(): Promise<Connection> {
    const most = this.#isFirst ? 1 : (this.#options.reconnect.attempts ?? 5);
    if (most < 1) throw lost("the connection was lost, and is not made again", { delivered: "no" });
    for (let attempt = 1; ; attempt++) {
      try {
        if (this.#failures > 0) await this.#options.sleep(this.#pauseMs(), this.#closing.signal);
        return await this.#opened();
      } catch (error) {
        this.#failures++;
        if (this.isClosed) throw closed();
        if (attempt >= most || !isPassing(error)) throw error;
      }
    }
  }

  async #opened(): Promise<Connection> {
    const connection = await this.#options.open(this.#closing.signal);
    if (this.isClosed) {
      await connection.close();
      throw closed();
    }
    this.#current = connection;
    if (!this.#isFirst) this.#options.onReopened(connection);
    this.#isFirst = false;
    return connection;
  }

  /** Twice as long each time, and somewhere in the upper half, so that many clients do not come back as one. */
  #pauseMs(): number {
    const { delayMs = 200, maxDelayMs = 10_000 } = this.#options.reconnect;
    const full = Math.min(delayMs * 2 ** (this.#failures - 1), maxDelayMs);
    return full * (0.5 + this.#options.random() / 2);
  }
}

/** Whether the same may work a little later. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof BiplaneError)) return false;
  const status = Number(error.details?.["status"] ?? 0);
  return isLost(error) || error.code === "TIMEOUT" || error.code === "CAPACITY" || status >= 500;
}

function closed(): BiplaneError {
  return new BiplaneError("CANCELLED", "the client is closed");
}
