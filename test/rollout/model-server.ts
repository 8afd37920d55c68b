import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a model says: text, calls with their arguments as text, or both. */
export interface Said {
  readonly content?: string;
  readonly calls?: readonly { name: string; arguments: string }[];
  readonly finishReason?: string;
  /** The tokens of the prompt and of the reply, as vLLM gives them. */
  readonly promptIds?: readonly number[];
  readonly ids?: readonly number[];
  readonly logprobs?: readonly number[];
  readonly usage?: object;
}

export interface Asked {
  readonly messages: readonly { role: string; content: unknown; tool_calls?: unknown[] }[];
  readonly tools?: readonly object[];
  readonly stream?: boolean;
  readonly model?: string;
  readonly [parameter: string]: unknown;
}

/** What goes wrong with a request: a status with its headers, a connection cut before or within the answer, or a broken stream. */
export type Trouble =
  | number
  | { readonly status: number; readonly headers: Readonly<Record<string, string>> }
  | "cut"
  | "half"
  | "error event"
  | undefined;

export interface ModelServerOptions {
  readonly say: (asked: Asked) => Said;
  /** Asked for each request, by its number from 0. */
  readonly trouble?: (request: number, asked: Asked) => Trouble;
  /** Answers in place of the server. */
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => void;
}

/** An OpenAI-compatible API on this machine that streams, limits, breaks and lies as told. */
export class ModelServer {
  readonly asked: Asked[] = [];
  readonly keys: (string | undefined)[] = [];
  answered = 0;
  readonly #options: ModelServerOptions;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  private constructor(options: ModelServerOptions) {
    this.#options = options;
  }

  static async open(options: ModelServerOptions): Promise<ModelServer> {
    const server = new ModelServer(options);
    server.#server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", 1024, resolve));
    return server;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
    if (this.#options.answer) return this.#options.answer(request, response);
    const trouble = this.#options.trouble?.(this.asked.length, asked);
    this.asked.push(asked);
    this.keys.push(request.headers.authorization);
    if (typeof trouble === "object" || typeof trouble === "number") {
      const wait: Record<string, string> = trouble === 429 ? { "retry-after": "0" } : {};
      const { status, headers } = typeof trouble === "object" ? trouble : { status: trouble, headers: wait };
      const json = { "content-type": "application/json", ...headers };
      return void response.writeHead(status, json).end('{"error":{"message":"not now"}}');
    }
    if (trouble === "cut") return void request.socket.destroy();
    const said = this.#options.say(asked);
    if (asked.stream) this.#stream(response, said, trouble);
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole(said)));
    if (trouble === undefined) this.answered++;
  }

  /** In small pieces, as models do; where it breaks, it breaks in the middle. */
  #stream(response: ServerResponse, said: Said, trouble: Trouble): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const pieces = deltas(said);
    const send = (data: unknown) => response.write(`data: ${JSON.stringify(data)}\n\n`);
    const upTo = trouble === undefined ? pieces.length : Math.ceil(pieces.length / 2);
    for (const [at, delta] of pieces.slice(0, upTo).entries()) {
      const tokens = at === 0 ? tokensOf(said) : undefined;
      send({ ...tokens?.body, choices: [{ index: 0, delta, finish_reason: null, ...tokens?.choice }] });
    }
    if (trouble === "half") return void response.destroy();
    if (trouble === "error event") {
      send({ error: { message: "overloaded" } });
      return void response.end();
    }
    send({ choices: [{ index: 0, delta: {}, finish_reason: finishReasonOf(said) }] });
    send({ choices: [], usage: said.usage ?? usage });
    response.end("data: [DONE]\n\n");
  }
}

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

function finishReasonOf({ finishReason, calls }: Said): string {
  return finishReason ?? (calls?.length ? "tool_calls" : "stop");
}

function callsOf({ calls = [] }: Said) {
  return calls.map((call, index) => ({ index, id: `call_${index}`, type: "function", function: call }));
}

function whole(said: Said): object {
  const message = { role: "assistant", content: said.content ?? null, tool_calls: callsOf(said) };
  const { body, choice } = tokensOf(said);
  const choices = [{ index: 0, message, finish_reason: finishReasonOf(said), ...choice }];
  return { id: "1", created: 1, model: "test-model", choices, usage: said.usage ?? usage, ...body };
}

function tokensOf({ promptIds, ids, logprobs }: Said): { body: object; choice: object } {
  const content = logprobs?.map((logprob, at) => ({ token: `t${at}`, logprob, bytes: null, top_logprobs: [] }));
  return {
    body: promptIds ? { prompt_token_ids: promptIds } : {},
    choice: { ...(ids && { token_ids: ids }), ...(content && { logprobs: { content } }) },
  };
}

function deltas(said: Said): object[] {
  const words = (said.content ?? "").match(/[\s\S]{1,4}/g) ?? [];
  const calls = callsOf(said).flatMap(({ index, id, type, function: { name, arguments: text } }) => [
    { tool_calls: [{ index, id, type, function: { name, arguments: "" } }] },
    ...(text.match(/[\s\S]{1,5}/g) ?? []).map((part) => ({ tool_calls: [{ index, function: { arguments: part } }] })),
  ]);
  return [{ role: "assistant", content: "" }, ...words.map((content) => ({ content })), ...calls];
}

/** A model that walks the known way across the lake of seed 42, some moves at a time. */
export function walker(moves: readonly string[], atOnce = 1): (asked: Asked) => Said {
  return ({ messages }) => {
    const done = messages.filter(({ role, content }) => role === "tool" && !String(content).includes('"error"')).length;
    const next = moves.slice(done, done + atOnce);
    return next.length === 0
      ? { content: "I am there." }
      : { calls: next.map((action) => ({ name: "lake_move", arguments: JSON.stringify({ action }) })) };
  };
}
