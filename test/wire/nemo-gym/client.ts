import type { Json } from "../endpoints.ts";

export interface NemoResponse {
  readonly status: number;
  readonly text: string;
  readonly type: string | null;
  readonly cookie: string | undefined;
  /** The body as JSON, if it is JSON. */
  readonly body: Json;
}

/** Sends the requests of NeMo Gym, and keeps the cookie as its environment server does. */
export class NemoClient {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  cookie: string | undefined;

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.#url = url;
    this.#headers = headers;
  }

  as(headers: Readonly<Record<string, string>>): NemoClient {
    const other = new NemoClient(this.#url, { ...this.#headers, ...headers });
    other.cookie = this.cookie;
    return other;
  }

  post(path: string, body: unknown = {}): Promise<NemoResponse> {
    return this.send("POST", path, JSON.stringify(body));
  }

  async send(method: string, path: string, body?: string): Promise<NemoResponse> {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        "content-type": "application/json",
        ...(this.cookie !== undefined && { cookie: this.cookie }),
        ...this.#headers,
      },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const type = response.headers.get("content-type");
    const cookie = response.headers.get("set-cookie") ?? undefined;
    const isJson = type === "application/json" && text !== "";
    return { status: response.status, text, type, cookie, body: (isJson ? JSON.parse(text) : {}) as Json };
  }

  /** Seeds a session and keeps its cookie. */
  async seed(body: Json = seedOf("rs-1")): Promise<NemoResponse> {
    const answer = await this.post("/seed_session", body);
    if (answer.cookie !== undefined) this.cookie = answer.cookie.split(";")[0];
    return answer;
  }

  close(id = "rs-1", rollout = "r1"): Promise<NemoResponse> {
    return this.post("/close_session", { resources_session_id: id, episode_id: { rollout_id: rollout, attempt: 0 } });
  }

  verify(more: Json = {}): Promise<NemoResponse> {
    return this.post("/verify", { ...verifyBody, ...more });
  }
}

export function seedOf(id: string, data: Json = { seed: 7 }, rollout = "r1"): Json {
  return {
    resources_session_id: id,
    episode_id: { rollout_id: rollout, attempt: 0 },
    task_id: { taskset: "biplane:counter", task_id: "0" },
    task_data: data,
  };
}

/** What an agent's server sends after a rollout. */
export const verifyBody: Json = {
  responses_create_params: { input: [{ role: "user", content: "Count." }], tools: [] },
  response: { id: "resp_1", object: "response", output: [] },
};
