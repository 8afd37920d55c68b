import { randomUUID } from "node:crypto";
import { BiplaneError, messageOf } from "../../errors.ts";
import { readErrorMeta } from "../../protocol/error-meta.ts";
import { defaultMaxBytes } from "../../bounds/message-bytes.ts";
import { isConnectionLost } from "../connection-lost.ts";
import { readText } from "../read-text.ts";
import { errorIn } from "../response.ts";
import { sendUntilAnswered } from "./send-until-answered.ts";
import { cutBetweenWords } from "../../bounds/cut-between-words.ts";

/**
 * The `fetch` of one session. Counts `initialize` requests, because one after a step means that the session was lost.
 * Rejects the GET stream, because an environment sends nothing of its own accord.
 */
export class SessionFetch {
  #opened = 0;
  /** Sessions that were opened before the first step. */
  #openedBefore = Infinity;
  /** True if the server makes a call with a key once. Then a call that was not answered is sent again. */
  takesKeys = false;

  /** From now on, another session means that the episode was lost: the client opens one after a lost connection. */
  markStarted(): void {
    this.#openedBefore = this.#opened;
  }

  get isLost(): boolean {
    return this.#opened > this.#openedBefore;
  }

  readonly fetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    if (init.method === "GET") return new Response(null, { status: 405 });
    const body = typeof init.body === "string" ? init.body : "";
    if (this.takesKeys && body.includes('"method":"tools/call"')) return callOnce(url, init);
    const response = await fetch(url, init);
    if (response.ok && body.includes('"method":"initialize"')) this.#opened++;
    return response;
  };
}

/** True for an answer, as JSON or as the last event of a stream, that the server or its store is not ready. */
function isBusy(text: string): boolean {
  const json = text.startsWith("{") ? text : (/.*^data: (.*)$/ms.exec(text)?.[1] ?? "");
  return readErrorMeta(errorIn(json)?.data)?.code === "CAPACITY";
}

/** Sends a call until a server has answered it completely. The key makes it one call. */
async function callOnce(url: string | URL | Request, init: RequestInit): Promise<Response> {
  const signal = init.signal ?? undefined;
  const headers = { ...(init.headers as Record<string, string>), "idempotency-key": randomUUID() };
  return sendUntilAnswered(async () => {
    try {
      const response = await fetch(url, { ...init, headers });
      const { status } = response;
      const text = await readText(response, defaultMaxBytes).catch((error: unknown) => {
        if (isConnectionLost(error)) throw error;
        // It is an answer, which must not be asked for again.
        throw new BiplaneError("EXECUTION_ERROR", messageOf(error), { cause: error, details: { status } });
      });
      if (status === 502 || status === 503 || isBusy(text))
        throw new BiplaneError("CAPACITY", cutBetweenWords(text, 1000), { details: { status: 503 } });
      return new Response(text, { status, headers: response.headers });
    } catch (error) {
      if (error instanceof BiplaneError || signal?.aborted) throw error;
      throw new BiplaneError("EXECUTION_ERROR", messageOf(error), { cause: error });
    }
  }, signal);
}
