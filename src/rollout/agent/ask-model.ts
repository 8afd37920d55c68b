import { BiplaneError, messageOf } from "../../errors.ts";
import { isObject } from "../../protocol/rpc.ts";
import type { Message } from "../message.ts";
import type { Usage } from "./agent.ts";
import { Completion } from "./completion.ts";
import { readEvents } from "./events.ts";

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

export interface ModelAnswer {
  readonly message: Message;
  readonly finishReason: string;
  readonly usage: Usage | undefined;
  readonly retries: number;
}

/** One answer of a model. What may pass is tried again: limits, servers that fail, connections that break. */
export async function askModel(body: object, options: AskModelOptions, signal: AbortSignal): Promise<ModelAnswer> {
  for (let retries = 0; ; retries++) {
    try {
      return { ...(await askOnce(body, options, signal)), retries };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof PassingFailure)) throw error;
      if (retries >= options.retries) throw gaveUp(error, retries, options.url);
      await options.sleep(pauseMs(error, retries, options.random), signal);
    }
  }
}

/** Something that may be otherwise the next time. */
class PassingFailure extends Error {
  readonly retryAfterMs: number | undefined;
  readonly isLate: boolean;

  constructor(message: string, options: { retryAfterMs?: number | undefined; isLate?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
    this.isLate = options.isLate ?? false;
  }
}

async function askOnce(
  body: object,
  options: AskModelOptions,
  signal: AbortSignal,
): Promise<Omit<ModelAnswer, "retries">> {
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
    if (!response.ok) throw await refusal(response, url);
    return response.headers.get("content-type")?.includes("text/event-stream")
      ? await readStream(response)
      : Completion.whole(await response.json());
  } catch (error) {
    if (late.aborted) throw new PassingFailure(`no answer within ${timeoutMs} ms`, { isLate: true });
    if (error instanceof PassingFailure || error instanceof BiplaneError) throw error;
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new PassingFailure(messageOf(cause), { cause: error });
  }
}

async function readStream(response: Response): Promise<Omit<ModelAnswer, "retries">> {
  const completion = new Completion();
  for await (const data of readEvents(response)) {
    if (data === "[DONE]") return completion.answer();
    const chunk: unknown = JSON.parse(data);
    if (isObject(chunk) && isObject(chunk["error"]))
      throw new PassingFailure(`the model's stream broke off: ${String(chunk["error"]["message"])}`);
    completion.add(chunk);
  }
  // Some servers just close; an answer that has said why it ended is whole.
  if (completion.isFinished) return completion.answer();
  throw new PassingFailure("the model's stream broke off");
}

async function refusal(response: Response, url: string): Promise<Error> {
  const { status } = response;
  const text = (await response.text().catch(() => "")).slice(0, 500);
  const message = `${url} answered ${status}${text === "" ? "" : `: ${text}`}`;
  if (status !== 408 && status !== 409 && status !== 425 && status !== 429 && status < 500) {
    return new BiplaneError(status === 401 || status === 403 ? "UNAUTHORIZED" : "EXECUTION_ERROR", message, {
      details: { status },
    });
  }
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new PassingFailure(message, {
    retryAfterMs: Number.isFinite(seconds) ? Math.max(0, seconds * 1000) : undefined,
  });
}

/** Twice as long each time, and never the same for two that failed together. */
function pauseMs({ retryAfterMs }: PassingFailure, retries: number, random: () => number): number {
  const pause = Math.min(firstPauseMs * 2 ** retries, longestPauseMs) * (0.5 + random());
  return retryAfterMs === undefined ? pause : Math.min(longestPauseMs, retryAfterMs + firstPauseMs * random());
}

const firstPauseMs = 250;
const longestPauseMs = 60_000;

function gaveUp(error: PassingFailure, retries: number, url: string): BiplaneError {
  const times = retries === 0 ? "" : `, also the ${retries} times it was asked again`;
  const code = error.isLate ? "TIMEOUT" : "EXECUTION_ERROR";
  return new BiplaneError(code, `The model at ${url} failed${times}: ${error.message}`, { cause: error });
}
