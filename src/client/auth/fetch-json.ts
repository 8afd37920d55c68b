import { BiplaneError } from "../../errors.ts";
import { isLoopback } from "../../transport/guard.ts";
import { isObject } from "../../protocol/rpc.ts";
import type { Params } from "../../protocol/rpc.ts";
import { readText } from "../read-text.ts";
import type { Fetch } from "./authorizer.ts";

export interface JsonAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Params;
}

/** A request to an authorization server. Secrets go over TLS, or stay on this machine. */
export async function fetchJson(url: string, init: RequestInit, fetch: Fetch): Promise<JsonAnswer> {
  checkAddress(url);
  const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(30_000), ...init });
  const text = await readText(response, 1024 * 1024);
  return { ok: response.ok, status: response.status, headers: response.headers, body: parse(text) };
}

/** Why an authorization server refused, in its own words where it has any. */
export function reasonIn(body: Params, status: number): string {
  const said = [body["error_description"], body["error"]].find((each) => typeof each === "string");
  return said?.slice(0, 500) ?? `status ${status}`;
}

export function checkAddress(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === "https:" || (parsed?.protocol === "http:" && isLoopback(parsed.hostname))) return;
  throw new BiplaneError("UNAUTHORIZED", `${url} is no safe address for credentials; it must begin with https://`);
}

function parse(text: string): Params {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body : {};
  } catch {
    return {};
  }
}
