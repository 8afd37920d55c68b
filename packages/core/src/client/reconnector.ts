import { BiplaneError } from "../errors.ts";
import { connectionLost, isConnectionLost } from "./connection-lost.ts";
import type { ClientConnection } from "./client-connection.ts";
import type { ReconnectOptions } from "./options.ts";

export interface ReconnectorOptions {
  readonly open: (signal: AbortSignal) => Promise<ClientConnection>;
  readonly reconnect: ReconnectOptions;
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called with every connection after the first. */
  readonly onReopened: (connection: ClientConnection) => void;
  readonly onDropped: () => void;
}

/** Holds the current connection and opens a new one after a loss. */
export class Reconnector {
  readonly #options: ReconnectorOptions;
  readonly #closing = new AbortController();
  #current: ClientConnection | undefined;
  #opening: Promise<ClientConnection> | undefined;
  #isFirst = true;
  #failures = 0;

  constructor(options: ReconnectorOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  get current(): ClientConnection | undefined {
    return this.#current;
  }

  /** The current connection, or a new one. Stops waiting when `signal` aborts. */
  async get(signal?: AbortSignal): Promise<ClientConnection> {
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

  /** Resets the backoff after a successful request. */
  markWorking(connection: ClientConnection): void {
    if (connection === this.#current) this.#failures = 0;
  }

  /** Discards a failed connection; the next `get` opens another. */
  drop(connection: ClientConnection): void {
    if (connection !== this.#current) return;
    this.#current = undefined;
    this.#failures++;
    void connection.close().catch(() => undefined); // the connection is already lost
    if (!this.isClosed) this.#options.onDropped();
  }

  async close(): Promise<void> {
    this.#closing.abort(closed());
    const connection = this.#current ?? (await this.#opening?.catch(() => undefined));
    this.#current = undefined;
    await connection?.close();
  }

  async #open(): Promise<ClientConnection> {
    const maxAttempts = this.#isFirst ? 1 : (this.#options.reconnect.attempts ?? 5);
    if (maxAttempts < 1)
      throw connectionLost("The connection was lost, and reconnect.attempts is 0.", { delivered: "no" });
    for (let attempt = 1; ; attempt++) {
      try {
        if (this.#failures > 0) await this.#options.sleep(this.#pauseMs(), this.#closing.signal);
        return await this.#opened();
      } catch (error) {
        this.#failures++;
        if (this.isClosed) throw closed();
        if (attempt >= maxAttempts || !isTransient(error)) throw error;
      }
    }
  }

  async #opened(): Promise<ClientConnection> {
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

  /** Exponential backoff with jitter, so that many clients do not reconnect at once. */
  #pauseMs(): number {
    const { delayMs = 200, maxDelayMs = 10_000 } = this.#options.reconnect;
    const full = Math.min(delayMs * 2 ** (this.#failures - 1), maxDelayMs);
    return full * (0.5 + this.#options.random() / 2);
  }
}

/** True if a later attempt may succeed. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof BiplaneError)) return false;
  const status = Number(error.details?.["status"] ?? 0);
  return isConnectionLost(error) || error.code === "TIMEOUT" || error.code === "CAPACITY" || status >= 500;
}

function closed(): BiplaneError {
  return new BiplaneError("CANCELLED", "The client is closed.");
}
