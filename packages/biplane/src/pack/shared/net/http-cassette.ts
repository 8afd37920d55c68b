import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { BiplaneError } from "@biplane/core";
import { createRedactor, isRecord, nearest, tryParseJson } from "@biplane/core/internal";
import type { Redactor } from "@biplane/core/internal";
import type { GuardedResponse } from "./network-guard.ts";

export interface CassetteOptions {
  /** The JSONL file with the requests and answers. */
  readonly file: string;
  /** Sends requests that the cassette does not have, and keeps them. Without it, they are errors. */
  readonly isRecording: boolean;
  /** Values to redact. */
  readonly secrets?: readonly string[];
}

/** A request as a cassette knows it. Headers are not part of it, because they hold credentials. */
export interface CassetteRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string | undefined;
}

/** Keeps HTTP requests with their answers in a file, and answers the same requests from it. */
export class HttpCassette {
  readonly #options: CassetteOptions;
  readonly #redactor: Redactor;
  readonly #answers = new Map<string, GuardedResponse[]>();
  readonly #counts = new Map<string, number>();

  constructor(options: CassetteOptions) {
    this.#options = options;
    this.#redactor = createRedactor((options.secrets ?? []).map((value) => ({ name: "SECRET", value })));
    if (existsSync(options.file)) this.#read();
    else if (!options.isRecording)
      throw new BiplaneError(
        "INVALID_DEFINITION",
        `There is no cassette ${options.file}. Set record: true to make it.`,
      );
  }

  /** The recorded answer, in recorded order for equal requests; else, while recording, the answer of `send`. */
  async answer(request: CassetteRequest, send: () => Promise<GuardedResponse>): Promise<GuardedResponse> {
    const key = this.#keyOf(request);
    const known = this.#answers.get(key);
    if (known) {
      const count = this.#counts.get(key) ?? 0;
      this.#counts.set(key, count + 1);
      return known[Math.min(count, known.length - 1)] as GuardedResponse;
    }
    if (!this.#options.isRecording) throw this.#miss(key);
    const response = await send();
    this.#keep(key, response);
    return response;
  }

  #keep(key: string, response: GuardedResponse): void {
    const kept = this.#redactor.value({ request: key, response: written(response) });
    const { file } = this.#options;
    const line = `${JSON.stringify(kept)}\n`;
    mkdirSync(dirname(file), { recursive: true });
    appendFileSync(file, existsSync(file) ? line : `${JSON.stringify({ cassette: version })}\n${line}`, {
      mode: 0o600,
    });
    this.#answers.set(key, [response]);
    this.#counts.set(key, 1);
  }

  #read(): void {
    const { file } = this.#options;
    const [head = "", ...lines] = readFileSync(file, "utf8").split("\n");
    const about = tryParseJson(head);
    if (!isRecord(about) || about["cassette"] !== version)
      throw new BiplaneError("INVALID_DEFINITION", `${file} is not a cassette of version ${version}.`);
    for (const [at, line] of lines.entries()) {
      if (line === "") continue;
      const entry = readEntry(line);
      if (entry) this.#answers.set(entry.request, [...(this.#answers.get(entry.request) ?? []), entry.response]);
      else if (at < lines.length - 1)
        throw new BiplaneError("INVALID_DEFINITION", `${file}:${at + 2} is not an entry of a cassette.`);
    }
  }

  /** Method, URL and body, without secrets. */
  #keyOf({ method, url, body }: CassetteRequest): string {
    return this.#redactor.text(`${method} ${withoutSecrets(url)}${body === undefined ? "" : ` ${body}`}`);
  }

  #miss(key: string): BiplaneError {
    const { file } = this.#options;
    const near = nearest(
      key.slice(0, 100),
      [...this.#answers.keys()].map((each) => each.slice(0, 200)),
    );
    const hint = near === undefined ? "" : ` The nearest is ${near}.`;
    return new BiplaneError(
      "EXECUTION_ERROR",
      `The cassette ${file} has no request ${key.slice(0, 300)}.${hint} Set record: true to add it.`,
    );
  }
}

function withoutSecrets(url: string): string {
  const shown = new URL(url);
  for (const name of Array.from(shown.searchParams.keys()))
    if (/token|secret|passw|key|signature|auth/i.test(name)) shown.searchParams.set(name, "[REDACTED]");
  shown.username = shown.password = shown.hash = "";
  return shown.href;
}

const version = 1;

interface CassetteEntry {
  readonly request: string;
  readonly response: GuardedResponse;
}

/** Bodies that are not UTF-8 are kept in base64. */
function written({ body, headers, url, status, statusText }: GuardedResponse): object {
  const text = body.toString();
  const kept = Object.entries(headers).filter(([name]) => keptHeaders.test(name));
  const shown = Buffer.from(text).equals(body) ? { body: text } : { base64: body.toString("base64") };
  return { url: withoutSecrets(url), status, statusText, headers: Object.fromEntries(kept), ...shown };
}

/** The headers that packs read. Others can hold credentials. */
const keptHeaders =
  /^(content-type|link|cache-control|expires|age|date|etag|last-modified|retry-after|x-ratelimit-(remaining|reset))$/;

function readEntry(line: string): CassetteEntry | undefined {
  const entry = tryParseJson(line);
  const response = isRecord(entry) ? entry["response"] : undefined;
  if (!isRecord(entry) || typeof entry["request"] !== "string" || !isRecord(response)) return undefined;
  const { url, status, statusText, headers, body, base64 } = response;
  if (typeof url !== "string" || typeof status !== "number" || !isRecord(headers)) return undefined;
  const bytes =
    typeof base64 === "string" ? Buffer.from(base64, "base64") : Buffer.from(typeof body === "string" ? body : "");
  const named = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return {
    request: entry["request"],
    response: {
      url,
      status,
      statusText: typeof statusText === "string" ? statusText : "",
      headers: Object.fromEntries(named),
      body: bytes,
    },
  };
}
