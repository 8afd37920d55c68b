import type { Json } from "../endpoints.ts";

export interface OrsEvent {
  readonly event: string;
  readonly data: string;
}

export interface OrsResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON, if it is JSON. */
  readonly body: unknown;
}

/** Sends the requests of ORS as its client does. */
export class OrsClient {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.#url = url;
    this.#headers = headers;
  }

  as(headers: Readonly<Record<string, string>>): OrsClient {
    return new OrsClient(this.#url, { ...this.#headers, ...headers });
  }

  get sid(): string {
    return this.#headers["x-session-id"] ?? "";
  }

  in(sid: string): OrsClient {
    return this.as({ "x-session-id": sid });
  }

  get(path: string): Promise<OrsResponse> {
    return this.send("GET", path);
  }

  post(path: string, body: unknown = {}): Promise<OrsResponse> {
    return this.send("POST", path, JSON.stringify(body));
  }

  async send(method: string, path: string, body?: string): Promise<OrsResponse> {
    const headers = { "content-type": "application/json", ...this.#headers };
    const response = await fetch(this.#url + path, { method, headers, ...(body !== undefined && { body }) });
    const text = await response.text();
    const isJson = response.headers.get("content-type") === "application/json";
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }

  /** Asks for a session id, as every client does first. */
  async createSession(): Promise<string> {
    const [first] = eventsIn((await this.post("/create_session")).text);
    return first?.data ?? "";
  }

  /** Begins a session. */
  async begin(spec: Json = { split: "train", index: 1 }): Promise<OrsClient> {
    const client = this.in(await this.createSession());
    const created = await client.post("/create", spec);
    if (created.status !== 200) throw new Error(`${created.status} ${created.text}`);
    return client;
  }

  /** Calls a tool and returns its last event. */
  async call(name: string, input: unknown = {}): Promise<OrsEvent> {
    const { status, text } = await this.post("/call", { name, input });
    return status === 200 ? (eventsIn(text).at(-1) as OrsEvent) : { event: `HTTP ${status}`, data: text };
  }

  /** The result in the last event of a call. */
  async result(name: string, input: unknown = {}): Promise<Json> {
    const { event, data } = await this.call(name, input);
    if (event !== "end") throw new Error(`${event}: ${data}`);
    return JSON.parse(data) as Json;
  }
}

/** The events of a stream. Every line must have a colon, because the client of ORS fails without one. */
export function eventsIn(text: string): OrsEvent[] {
  return text.split("\r\n\r\n").flatMap((block) => {
    const lines = block.split("\r\n").filter((line) => line !== "" && !line.startsWith(":"));
    if (lines.length === 0) return [];
    const fields = Object.fromEntries(
      lines.map((line) => {
        const [, key, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
        if (key === undefined) throw new Error(`A line without a field: ${line}`);
        return [key, value];
      }),
    ) as Record<string, string>;
    return [{ event: fields["event"] ?? "", data: fields["data"] ?? "" }];
  });
}
