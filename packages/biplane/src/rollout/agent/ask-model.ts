import { BiplaneError } from "@biplane/core";
import {
  asBiplaneError,
  createRedactor,
  cutBetweenWords,
  isRecord,
  messageOf,
  minSecretLength,
  readEventStream,
} from "@biplane/core/internal";
import { Completion, maxReplyLength, replyTooLong } from "./completion.ts";
import type { ModelReply } from "./completion.ts";

export interface AskModelOptions {
  readonly url: string;
  readonly apiKey: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly isStreamed: boolean;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly fetch: typeof fetch;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

/** Sends one request to a model. Retries after rate limits, server errors and lost connections. */
export async function askModel(
  body: object,
  options: AskModelOptions,
  signal: AbortSignal,
): Promise<ModelReply & { readonly retries: number }> {
  for (let retries = 0; ; retries++) {
    try {
      return { ...(await askOnce(body, options, signal)), retries };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof TransientFailure)) throw ofEndpoint(error, options.url);
      if (retries >= options.retries) throw gaveUp(error, retries, options.url);
      await options.sleep(pauseMs(error, retries, options.random), signal);
    }
  }
}

/** A failure that may not happen again on a retry. */
class TransientFailure extends Error {
  readonly retryAfterMs: number | undefined;
  readonly isLate: boolean;

  constructor(message: string, options: { retryAfterMs?: number | undefined; isLate?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
    this.isLate = options.isLate ?? false;
  }
}

async function askOnce(body: object, options: AskModelOptions, signal: AbortSignal): Promise<ModelReply> {
  const { url, headers, isStreamed, timeoutMs } = options;
  const key = typeof options.apiKey === "function" ? await options.apiKey() : options.apiKey;
  const late = AbortSignal.timeout(timeoutMs);
  const asked = isStreamed ? { ...body, stream: true, stream_options: { include_usage: true } } : body;
  try {
    const response = await options.fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...headers,
      },
      body: JSON.stringify(asked),
      signal: AbortSignal.any([signal, late]),
    });
    if (!response.ok) throw await httpFailure(response, { url, key });
    return response.headers.get("content-type")?.includes("text/event-stream")
      ? await readStream(response.body)
      : Completion.fromBody(await boundedBody(response).json());
  } catch (error) {
    if (late.aborted) throw new TransientFailure(`timed out after ${timeoutMs} ms`, { isLate: true });
    if (error instanceof TransientFailure || error instanceof BiplaneError) throw error;
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new TransientFailure(messageOf(cause), { cause: error });
  }
}

async function readStream(body: Response["body"]): Promise<ModelReply> {
  const completion = new Completion();
  for await (const { data } of body ? readEventStream(body, { maxBytes: maxEventBytes }) : []) {
    if (data === "") continue;
    if (data === "[DONE]") return completion.reply();
    const chunk: unknown = JSON.parse(data);
    if (isRecord(chunk) && isRecord(chunk["error"]))
      throw new TransientFailure(`the stream broke off: ${String(chunk["error"]["message"])}`);
    completion.add(chunk);
  }
  // Some servers close without [DONE]; a reply with a finish reason is complete.
  if (completion.isFinished) return completion.reply();
  throw new TransientFailure("the stream broke off");
}

/** The same response, with an error in place of what follows after `maxReplyLength` bytes. */
function boundedBody(response: Response): Response {
  let size = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > maxReplyLength) controller.error(replyTooLong());
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(counter) ?? null);
}

/** Servers may repeat the request in an error, and errors are kept in traces. */
async function httpFailure(
  response: Response,
  { url, key = "" }: { url: string; key?: string | undefined },
): Promise<Error> {
  const { status } = response;
  const told = await boundedBody(response)
    .text()
    .catch(() => "");
  const isKey = key.length >= minSecretLength;
  const text = cutBetweenWords(isKey ? createRedactor([{ name: "API_KEY", value: key }]).text(told) : told, 500);
  const message = `${url} answered ${status}${text === "" ? "" : `: ${text}`}`;
  if (status !== 408 && status !== 409 && status !== 425 && status !== 429 && status < 500) {
    const isRefused = status === 401 || status === 403;
    const [code, hint] = isRefused
      ? (["UNAUTHORIZED", " Check the API key."] as const)
      : (["EXECUTION_ERROR", ""] as const);
    return new BiplaneError(code, `${message}${hint}`, { details: { status } });
  }
  return new TransientFailure(message, { retryAfterMs: retryAfterMs(response.headers) });
}

/** `Retry-After` is a number of seconds or a date. OpenAI also sends milliseconds. */
function retryAfterMs(headers: Headers): number | undefined {
  const [exact, told] = [headers.get("retry-after-ms"), headers.get("retry-after")];
  const isNumber = (text: string | null) => text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text);
  if (isNumber(exact)) return Number(exact);
  if (isNumber(told)) return Number(told) * 1000;
  const date = Date.parse(told ?? "");
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** Exponential backoff with jitter; a Retry-After header takes precedence. */
function pauseMs({ retryAfterMs }: TransientFailure, retries: number, random: () => number): number {
  const pause = Math.min(firstPauseMs * 2 ** retries, maxPauseMs) * (0.5 + random());
  return retryAfterMs === undefined ? pause : Math.min(maxPauseMs, retryAfterMs + firstPauseMs * random());
}

const maxEventBytes = 16 * 1024 * 1024;
const firstPauseMs = 250;
const maxPauseMs = 60_000;

function gaveUp(error: TransientFailure, retries: number, url: string): BiplaneError {
  const times = retries === 0 ? "" : ` after ${retries} retries`;
  const code = error.isLate ? "TIMEOUT" : "EXECUTION_ERROR";
  const message = `The model at ${url} failed${times}: ${error.message}`;
  return new BiplaneError(code, message, { cause: error, details: { endpoint: url } });
}

/** Marks an error as one of the model's endpoint, and not of the agent. */
function ofEndpoint(error: unknown, endpoint: string): BiplaneError {
  const { code, message, details } = asBiplaneError(error);
  return new BiplaneError(code, message, { cause: error, details: { ...details, endpoint } });
}
