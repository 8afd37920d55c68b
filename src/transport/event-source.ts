/** One server-sent event, as far as it was said. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
  readonly retryMs: number | undefined;
}

/** Reads server-sent events until the stream ends. An event over the limit ends the stream with an error. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  options: { maxBytes: number },
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const parser = new EventParser(options.maxBytes);
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Takes text in pieces, cut anywhere, and gives the events that are complete. */
export class EventParser {
  readonly #maxBytes: number;
  #rest = "";
  #data: string[] = [];
  #size = 0;
  #event = "";
  #id: string | undefined;
  #retryMs: number | undefined;
  #endedWithReturn = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *push(chunk: string): Generator<ServerSentEvent, void, undefined> {
    const text = this.#rest + (this.#endedWithReturn && chunk.startsWith("\n") ? chunk.slice(1) : chunk);
    if (chunk !== "") this.#endedWithReturn = text.endsWith("\r");
    const lines = text.split(/\r\n|\n|\r/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line !== "") this.#line(line);
      else if (this.#isSomething) yield this.#take();
    }
    if (this.#size + this.#rest.length > this.#maxBytes) throw new RangeError("an event of the stream is too large");
  }

  get #isSomething(): boolean {
    return this.#data.length > 0 || this.#id !== undefined || this.#retryMs !== undefined;
  }

  #line(line: string): void {
    const colon = line.indexOf(":");
    if (colon === 0) return; // a comment
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    if (field === "data") {
      this.#data.push(value);
      this.#size += value.length;
    } else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.#retryMs = Number(value);
  }

  #take(): ServerSentEvent {
    const taken = {
      event: this.#event || "message",
      data: this.#data.join("\n"),
      id: this.#id,
      retryMs: this.#retryMs,
    };
    this.#data = [];
    this.#size = 0;
    this.#event = "";
    this.#id = undefined;
    this.#retryMs = undefined;
    return taken;
  }
}
