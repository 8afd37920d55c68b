import { parseJson } from "../../bounds/parse-json.ts";
import { BiplaneError, messageOf } from "../../errors.ts";
import type { ErrorCode } from "../../errors.ts";
import { isRecord } from "../../is-record.ts";
import type { JsonObject } from "../../tool/schema.ts";
import type { Channel, ChannelListener } from "../../transport/channel.ts";
import type { OpenEnvTransport } from "./openenv.ts";

/** OpenEnv's `/ws`: each frame gets one answer, in order. The socket has its own episode. */
export async function openEnvOverSocket(
  base: string,
  { headers, signal }: { headers: Readonly<Record<string, string>>; signal: AbortSignal | undefined },
): Promise<OpenEnvTransport> {
  const { openSocket } = await import("../../transport/websocket-client.ts");
  const url = `${base.replace(/^http/, "ws")}/ws`;
  const waiting: ((result: string | BiplaneError) => void)[] = [];
  /** A frame that nothing was waiting for. A server at capacity sends an error before the first request. */
  let unread: string | undefined;
  let channel: Channel | undefined;
  let isLost = false;
  let onClosed: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => (onClosed = resolve));

  /** Closes the socket: after an answer that did not come, each later one would be taken for its successor. */
  function drop(code: ErrorCode, message: string): void {
    channel?.close();
    channel = undefined;
    for (const settle of waiting.splice(0)) settle(new BiplaneError(code, message));
  }

  async function exchange(frame: object, signal: AbortSignal | undefined): Promise<JsonObject> {
    const early = unread;
    unread = undefined;
    if (early !== undefined) return readFrame(early);
    if (!channel) throw new BiplaneError("EXECUTION_ERROR", `The connection to ${url} was closed. Call reset().`);
    signal?.throwIfAborted();
    const answer = new Promise<string>((resolve, reject) => {
      const onAbort = () => drop("CANCELLED", "The request was cancelled.");
      const timer = setTimeout(() => drop("TIMEOUT", `${url} timed out after ${frameMs} ms.`), frameMs);
      signal?.addEventListener("abort", onAbort, { once: true });
      waiting.push((result) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        if (typeof result === "string") resolve(result);
        else reject(result);
      });
    });
    channel.send(JSON.stringify(frame));
    return readFrame(await answer);
  }

  const listener: ChannelListener = {
    onMessage(text) {
      const settle = waiting.shift();
      if (settle) settle(text);
      else if (unread === undefined) unread = text;
      else drop("EXECUTION_ERROR", `${url} sends frames that nobody asked for.`);
    },
    onOversize: () => drop("EXECUTION_ERROR", `${url} sent more than ${maxBytes} bytes.`),
    onClose() {
      isLost = channel !== undefined;
      drop("EXECUTION_ERROR", `${url} closed the socket.`);
      onClosed();
    },
  };
  const options = { headers, maxMessageBytes: maxBytes, signal, protocols: [], perMessageDeflate: false };
  channel = await openSocket(url, listener, options).catch((error: unknown) => {
    if (error instanceof BiplaneError) throw error;
    throw new BiplaneError("EXECUTION_ERROR", `Cannot reach ${url} (${messageOf(error)}).`, { cause: error });
  });
  return {
    isStateless: false,
    get isOpen() {
      return channel !== undefined;
    },
    /** True if the server ended the connection, not this client. */
    get isLost() {
      return isLost;
    },
    reset: (data, signal) => exchange({ type: "reset", data }, signal),
    step: (data, signal) => exchange({ type: "step", data }, signal),
    state: (signal) => exchange({ type: "state" }, signal),
    async close() {
      if (!channel) return;
      channel.send('{"type":"close"}');
      channel.close();
      await closed;
    },
  };
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
