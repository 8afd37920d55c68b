import { BiplaneError } from "@biplane/core";
import type { Call } from "@biplane/core";
import { chargedTo } from "@biplane/core/internal";
import type { NetworkGuard, GuardedResponse } from "../shared/net/network-guard.ts";
import { maxMarkupLength } from "./bounded-markup.ts";
import { decodeResponseText } from "./decode-response-text.ts";
import type { PageReader } from "./page-reader.ts";

/** A fetched URL as text. */
export interface FetchedPage {
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  /** Undefined if the content is not a web page. */
  readonly title: string | undefined;
  readonly content: string;
}

/** Fetches a URL. Web pages become Markdown, other text is unchanged, binary content is an error. */
export async function fetchPage(
  url: string,
  options: { guard: NetworkGuard; reader: PageReader; call: Call },
): Promise<{ page: FetchedPage; headers: GuardedResponse["headers"] }> {
  const { guard, reader, call } = options;
  const { signal } = call;
  const headers = { accept: "text/html,application/xhtml+xml,application/json,text/*;q=0.9,*/*;q=0.5" };
  const response = await guard.fetch(url, { headers, signal, retries: 1 });
  const { status, statusText, body } = response;
  const { origin } = new URL(response.url);
  if (status < 200 || status >= 300) throw httpError(response, origin);
  const contentType = response.headers["content-type"] ?? "";
  const kind = kindOf(contentType, body);
  if (kind === "binary") {
    throw new BiplaneError(
      "EXECUTION_ERROR",
      `${origin} answered with ${contentType || "binary data"}, which is not text.`,
    );
  }
  const text = await decodeResponseText(body, contentType || `text/${kind}`);
  const found = { url: response.url, status, statusText, contentType };
  if (kind === "plain") return { page: { ...found, title: undefined, content: text }, headers: response.headers };
  // The worker cuts long pages, and knows no secrets.
  const html = call.redact(text, { start: 0, end: maxMarkupLength });
  const job = { caller: chargedTo(call.principal), signal, failure };
  const { title, markdown } = await reader.run(() => ({ html, url: response.url }), job);
  return { page: { ...found, title, content: markdown }, headers: response.headers };
}

const failure = "The page cannot be converted to Markdown";

function httpError({ status, statusText, headers }: GuardedResponse, origin: string): BiplaneError {
  const { "retry-after": after = "" } = headers;
  const retry = after === "" || after.length > 40 ? "" : `. Try again later (Retry-After: ${after}).`;
  return new BiplaneError(
    "EXECUTION_ERROR",
    `HTTP ${status}: ${statusText || "no reason given"} from ${origin}${retry}`,
    {
      details: { status },
    },
  );
}

function kindOf(contentType: string, body: Buffer): "page" | "plain" | "binary" {
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "text/html" || type === "application/xhtml+xml") return "page";
  if (isText.test(type)) return "plain";
  if (type !== "" && type !== "application/octet-stream" && type !== "application/unknown") return "binary";
  const beginning = body.subarray(0, 1024);
  if (beginning.includes(0)) return "binary";
  return /^\s*(<!doctype html|<html[\s>])/i.test(beginning.toString("latin1")) ? "page" : "plain";
}

const isText =
  /^(text\/.+|application\/(.+\+)?(json|xml|yaml|javascript|ecmascript|toml|x-ndjson|x-yaml|x-sh|sql|graphql))$/;
