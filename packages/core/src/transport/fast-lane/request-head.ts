import { maxHeaderSize } from "node:http";

/** The head of a request that the fast lane can serve. */
export interface RequestHead {
  readonly url: string;
  /** By lowercase name. Frozen, because requests with the same head share it. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of the body. */
  readonly contentLength: number;
  /** Bytes of the head, with the empty line at its end. */
  readonly length: number;
}

/**
 * Reads the head of a request. Returns `incomplete` if it has not arrived yet, and undefined if `node:http` must read
 * it. Only heads that every HTTP parser understands in the same way are accepted, so that a proxy in front cannot
 * disagree about where a request ends.
 */
export function readHead(bytes: Buffer): RequestHead | "incomplete" | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return mayBegin(bytes) ? "incomplete" : undefined;
  if (end > maxHeadBytes) return undefined;
  const [, url, fields] = strictHead.exec(bytes.toString("latin1", 0, end + 2)) ?? [];
  if (url === undefined || fields === undefined) return undefined;
  const headers = readFields(fields);
  const length = headers?.["content-length"];
  if (!headers || length === undefined || headers["host"] === undefined || !strictLength.test(length)) return undefined;
  return { url, headers: Object.freeze(headers), contentLength: Number(length), length: end + 4 };
}

/** Longer heads are rare. Node's own limit may be lower. */
export const maxHeadBytes = Math.min(8192, maxHeaderSize);

/** POST, a plain path and HTTP/1.1. Fields have one space after the colon, and visible ASCII with single spaces. */
const strictHead = /^POST (\/[\w./-]*) HTTP\/1\.1\r\n((?:[A-Za-z0-9-]+: [!-~]+(?: [!-~]+)*\r\n)+)$/;

/** Up to 99,999 bytes, without sign, space or leading zero. */
const strictLength = /^[1-9]\d{0,4}$/;

function readFields(fields: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  let count = 0;
  for (let at = 0; at < fields.length;) {
    const colon = fields.indexOf(":", at);
    const end = fields.indexOf("\r", colon);
    const name = fields.slice(at, colon).toLowerCase();
    const value = fields.slice(colon + 2, end);
    // `in` also finds names such as `constructor`, which are as odd as a repeated name.
    if (name in headers || forbidden.has(name) || ++count > maxFields) return undefined;
    if (name === "connection" && value.toLowerCase() !== "keep-alive") return undefined;
    headers[name] = value;
    at = end + 2;
  }
  return headers;
}

/** Fields that change where a message ends, what the connection speaks, or how `node:http` shows them. */
const forbidden = new Set([
  "transfer-encoding",
  "trailer",
  "te",
  "expect",
  "upgrade",
  "http2-settings",
  "proxy-connection",
  "set-cookie",
]);

const maxFields = 100;

/** True if the bytes may become the head of a POST. */
function mayBegin(bytes: Buffer): boolean {
  if (bytes.length > maxHeadBytes) return false;
  const first = bytes.toString("latin1", 0, start.length);
  return start.startsWith(first);
}

const start = "POST /";
