/** One server-sent event. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
  readonly retryMs: number | undefined;
}

/** Reads server-sent events until the stream ends. Throws if an event exceeds the limit. */
export async function* readEventStream(
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

/** An incremental parser: takes chunks cut anywhere and yields complete events. */
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
    const text = this.#endedWithReturn && chunk.startsWith("\n") ? chunk.slice(1) : chunk;
    if (chunk !== "") this.#endedWithReturn = text.endsWith("\r");
    // Only the new text is searched for line ends: an event may come in thousands of chunks.
    const [first = "", ...more] = text.split(/\r\n|\n|\r/);
    const lines = [this.#rest + first, ...more];
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line !== "") this.#line(line);
      else if (this.#isSomething) yield this.#take();
    }
    if (this.#size + this.#rest.length > this.#maxBytes)
      throw new RangeError(`A server-sent event exceeds ${this.#maxBytes} characters.`);
  }

  get #isSomething(): boolean {
    return this.#data.length > 0 || this.#id !== undefined || this.#retryMs !== undefined;
  }

  #line(line: string): void {
    const colon = line.indexOf(":");
    if (colon === 0) return; // A comment.
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    if (field === "data") {
      this.#data.push(value);
      this.#size += value.length + 1;
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
