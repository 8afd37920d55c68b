import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { isRecord } from "../../is-record.ts";
import type { HttpMessage } from "../../transport/http-message.ts";

/** Marks a request that another process of the fleet sends on. */
export const forwardedHeader = "biplane-forwarded";

/** What a process says about a request that it sends on. */
export interface Forwarded {
  /** The process that it is for. */
  readonly to: string;
  /** The address of the client. */
  readonly address: string;
  readonly bodyHash: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

export interface ForwardedRequest {
  readonly method: string;
  readonly url: string;
}

export function hashOfBody(body: string): string {
  return createHash("sha256").update(body).digest("base64url");
}

/** The value of the header. */
export function signForwarded(key: string, request: ForwardedRequest, forwarded: Forwarded): string {
  return `${Buffer.from(JSON.stringify(forwarded)).toString("base64url")}.${signature(key, request, forwarded)}`;
}

/** Undefined if the request does not come from another process, or not in time. */
export function readForwarded(key: string, request: HttpMessage): Forwarded | undefined {
  if (request.headers[forwardedHeader] === undefined) return undefined;
  if (!alreadyRead.has(request)) alreadyRead.set(request, verify(key, request));
  return alreadyRead.get(request);
}

/** Each request is asked about several times on its way. */
const alreadyRead = new WeakMap<HttpMessage, Forwarded | undefined>();

function verify(key: string, { headers, method = "", url = "" }: HttpMessage): Forwarded | undefined {
  const [text = "", signed = ""] = String(headers[forwardedHeader]).split(".");
  if (signed === "" || text.length > 1024) return undefined;
  const forwarded = parse(text);
  if (!forwarded || !(forwarded.expires > Date.now())) return undefined;
  const expected = Buffer.from(signature(key, { method, url }, forwarded));
  const given = Buffer.from(signed);
  return given.length === expected.length && timingSafeEqual(given, expected) ? forwarded : undefined;
}

function signature(
  key: string,
  { method, url }: ForwardedRequest,
  { to, address, bodyHash, expires }: Forwarded,
): string {
  const text = JSON.stringify(["forwarded", to, method, url, address, bodyHash, expires]);
  return createHmac("sha256", key).update(text).digest("base64url");
}

function parse(text: string): Forwarded | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    if (!isRecord(value)) return undefined;
    const { to, address, bodyHash, expires } = value;
    const areTexts = typeof to === "string" && typeof address === "string" && typeof bodyHash === "string";
    return areTexts && typeof expires === "number" ? { to, address, bodyHash, expires } : undefined;
  } catch {
    return undefined;
  }
}
