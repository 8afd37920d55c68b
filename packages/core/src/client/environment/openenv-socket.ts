import { parseJson } from "../../bounds/parse-json.ts";
import { BiplaneError, messageOf } from "../../errors.ts";
import type { ErrorCode } from "../../errors.ts";
import { isRecord } from "../../is-record.ts";
import type { JsonObject } from "../../tool/schema.ts";
import type { Channel, ChannelListener } from "../../transport/channel.ts";
import type { OpenEnvTransport } from "./openenv.ts";

export interface SocketTransportOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | undefined;
}

/** OpenEnv's `/ws`: each frame gets one answer, in order. The socket has its own episode. */
export class OpenEnvSocketTransport implements OpenEnvTransport, ChannelListener {
  readonly isStateless = false;
  /** True if the server ended the connection, not this client. */
  isLost = false;
  readonly #url: string;
  readonly #waiting: Waiter[] = [];
  /** A frame that nothing was waiting for. A server at capacity sends an error before the first request. */
  #unread: string | undefined;
  readonly #closed: Promise<void>;
  #onClosed: () => void = () => undefined;
  #channel: Channel | undefined;

  private constructor(url: string) {
    this.#url = url;
    this.#closed = new Promise((resolve) => (this.#onClosed = resolve));
  }

  static async open(base: string, { headers, signal }: SocketTransportOptions): Promise<OpenEnvSocketTransport> {
    const { openSocket } = await import("../../transport/websocket-client.ts");
    const url = `${base.replace(/^http/, "ws")}/ws`;
    const transport = new OpenEnvSocketTransport(url);
    const options = { headers, maxMessageBytes: maxBytes, signal, protocols: [], perMessageDeflate: false };
    transport.#channel = await openSocket(url, transport, options).catch((error: unknown) => {
      if (error instanceof BiplaneError) throw error;
      throw new BiplaneError("EXECUTION_ERROR", `Cannot reach ${url} (${messageOf(error)}).`, { cause: error });
    });
    return transport;
  }

  get isOpen(): boolean {
    return this.#channel !== undefined;
  }

  reset(data: JsonObject, signal: AbortSignal | undefined): Promise<JsonObject> {
    return this.#exchange({ type: "reset", data }, signal);
  }

  step(data: object, signal: AbortSignal | undefined): Promise<JsonObject> {
    return this.#exchange({ type: "step", data }, signal);
  }

  state(signal: AbortSignal | undefined): Promise<JsonObject> {
    return this.#exchange({ type: "state" }, signal);
  }

  async close(): Promise<void> {
    if (!this.#channel) return;
    this.#channel.send('{"type":"close"}');
    this.#channel.close();
    await this.#closed;
  }

  onMessage(text: string): void {
    const waiter = this.#waiting.shift();
    if (waiter) return waiter.settle(text);
    if (this.#unread === undefined) this.#unread = text;
    else this.#drop(new BiplaneError("EXECUTION_ERROR", `${this.#url} sends frames that nobody asked for.`));
  }

  onOversize(): void {
    this.#drop(new BiplaneError("EXECUTION_ERROR", `${this.#url} sent more than ${maxBytes} bytes.`));
  }

  onClose(): void {
    this.isLost = this.isOpen;
    this.#drop(new BiplaneError("EXECUTION_ERROR", `${this.#url} closed the socket.`));
    this.#onClosed();
  }

  async #exchange(frame: object, signal: AbortSignal | undefined): Promise<JsonObject> {
    const early = this.#unread;
    this.#unread = undefined;
    if (early !== undefined) return readFrame(early);
    const channel = this.#channel;
    if (!channel) throw new BiplaneError("EXECUTION_ERROR", `The connection to ${this.#url} was closed. Call reset().`);
    signal?.throwIfAborted();
    const answer = new Promise<string>((resolve, reject) => {
      const onAbort = () => this.#drop(new BiplaneError("CANCELLED", "The request was cancelled."));
      const timer = setTimeout(
        () => this.#drop(new BiplaneError("TIMEOUT", `${this.#url} timed out after ${frameMs} ms.`)),
        frameMs,
      );
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push({
        settle: (result) => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
          if (typeof result === "string") resolve(result);
          else reject(result);
        },
      });
    });
    channel.send(JSON.stringify(frame));
    return readFrame(await answer);
  }

  /** Closes the socket: after an answer that did not come, each later one would be taken for its successor. */
  #drop(why: BiplaneError): void {
    this.#channel?.close();
    this.#channel = undefined;
    for (const waiter of this.#waiting.splice(0)) waiter.settle(why);
  }
}

interface Waiter {
  settle(result: string | BiplaneError): void;
}

const maxBytes = 100 * 1024 * 1024;

/** Same timeout as OpenEnv's own clients. */
const frameMs = 60_000;

function readFrame(text: string): JsonObject {
  const frame: unknown = parseJson(text);
  const data = isRecord(frame) && isRecord(frame["data"]) ? frame["data"] : {};
  // A masked episode ends with an error that has the last observation.
  if (!isRecord(frame) || frame["type"] !== "error" || isRecord(data["observation"])) return data;
  const told = typeof data["message"] === "string" ? data["message"] : "The server answered with an error.";
  const code = codes.get(data["code"]) ?? "EXECUTION_ERROR";
  throw new BiplaneError(code, firstFault(data["errors"]) ?? told, { details: { code: data["code"] } });
}

/** The first of a list of faults, such as `column: Field required`. */
function firstFault(faults: unknown): string | undefined {
  const [first] = Array.isArray(faults) ? (faults as readonly unknown[]) : [];
  if (!isRecord(first) || typeof first["msg"] !== "string") return undefined;
  const place = Array.isArray(first["loc"]) ? first["loc"].join(".") : "";
  return place === "" ? first["msg"] : `${place}: ${first["msg"]}`;
}

const codes: ReadonlyMap<unknown, ErrorCode> = new Map<unknown, ErrorCode>([
  ["VALIDATION_ERROR", "INVALID_INPUT"],
  ["CAPACITY_REACHED", "CAPACITY"],
]);
