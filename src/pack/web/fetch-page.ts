import { BiplaneError } from "../../errors.ts";
import type { Guard, GuardedResponse } from "../net/guard.ts";
import { decodeText } from "./decode-text.ts";
import type { PageReader } from "./page-reader.ts";

/** What was found at an address, as text. */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  /** Only a web page has one. */
  readonly title: string | undefined;
  readonly content: string;
}

/** Fetches an address: web pages become Markdown, other text stays as it is, what is no text is an error. */
export async function fetchPage(
  url: string,
  options: { guard: Guard; reader: PageReader; signal: AbortSignal },
): Promise<{ page: Page; headers: GuardedResponse["headers"] }> {
  const { guard, reader, signal } = options;
  const headers = { accept: "text/html,application/xhtml+xml,application/json,text/*;q=0.9,*/*;q=0.5" };
  const response = await guard.fetch(url, { headers, signal, retries: 1 });
  const { status, statusText, body } = response;
  const { origin } = new URL(response.url);
  if (status < 200 || status >= 300) throw notThere(response, origin);
  const contentType = response.headers["content-type"] ?? "";
  const kind = kindOf(contentType, body);
  if (kind === "binary") {
    throw new BiplaneError("EXECUTION_ERROR", `${origin} answered with ${contentType || "data"}, which is not text`);
  }
  const text = decodeText(body, contentType || `text/${kind}`);
  const found = { url: response.url, status, statusText, contentType };
  if (kind === "plain") return { page: { ...found, title: undefined, content: text }, headers: response.headers };
  const { title, markdown } = await reader.read(text.slice(0, longestMarkup), response.url);
  return { page: { ...found, title, content: markdown }, headers: response.headers };
}

/** Markup beyond this is not read: no page that anyone reads has that much. */
const longestMarkup = 2_000_000;

function notThere({ status, statusText, headers }: GuardedResponse, origin: string): BiplaneError {
  const later =
    headers["retry-after"] === undefined
      ? ""
      : `; it asks to be left alone for now (Retry-After: ${headers["retry-after"].slice(0, 40)})`;
  return new BiplaneError(
    "EXECUTION_ERROR",
    `HTTP ${status}: ${statusText || "no reason given"} from ${origin}${later}`,
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
