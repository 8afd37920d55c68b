import type { IncomingMessage } from "node:http";
import { contain } from "../bounds/contain.ts";
import { decodeText } from "../bounds/decode-text.ts";
import { loopTurns } from "../bounds/loop-turns.ts";
import { callerOf, chargedTo } from "../call/caller-of.ts";
import { Shares } from "../call/shares.ts";
import { BiplaneError } from "../errors.ts";
import type { Principal } from "../tool/call.ts";
import { WholeRequest } from "../transport/http-message.ts";
import type { HttpMessage } from "../transport/http-message.ts";

/** The bodies that have begun to arrive. A client can keep one waiting for a minute. */
export const arrivingBytes = new Shares("bytes of arriving requests", {
  perCaller: 64 * 2 ** 20,
  total: 256 * 2 ** 20,
});

/** Lets every caller send some bodies of the largest allowed size at once. */
export function admitBodies(maxBytes: number): void {
  const { perCaller, total } = arrivingBytes.limits;
  arrivingBytes.limits = { perCaller: Math.max(perCaller, maxBytes * 2), total: Math.max(total, maxBytes * 8) };
}

export interface RequestBodyOptions {
  readonly maxBytes: number;
  /** Who is charged while the body arrives (default: only the total limits it, as for trainers). */
  readonly principal?: Pick<Principal, "kind" | "id"> | undefined;
}

/**
 * Reads the body as text. `done` gets INVALID_INPUT if it is too large and CAPACITY if its caller sends too much at
 * once. It is not called if the client disconnects.
 */
export function readRequestBody(
  request: HttpMessage,
  { maxBytes, principal }: RequestBodyOptions,
  done: (text: string | BiplaneError) => void,
): void {
  if (request instanceof WholeRequest) {
    const { body } = request;
    return done(body.length > maxBytes ? tooLarge(maxBytes) : (decodeText(body) ?? notUtf8));
  }
  const kept = keptBodies.get(request);
  if (kept !== undefined) return done(kept);
  const announced = Number(request.headers["content-length"] ?? Number.NaN);
  if (announced > maxBytes) {
    request.resume();
    return done(tooLarge(maxBytes));
  }
  const finishWith = (text: string | BiplaneError) => {
    void contain(
      () => request.destroy(),
      () => done(text),
    );
  };
  const share = arrivingBytes.open(principal && chargedTo(principal));
  const chunks: Buffer[] = [];
  let size = 0;
  let isRefused = false;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (isRefused || size > maxBytes) return;
    chunks.push(chunk);
    if (size === announced && size < largeBytes) return; // It is handled at once, so nothing is kept.
    const full = share.resize(size + chunks.length * overheadBytes);
    if (!full) return;
    isRefused = true;
    chunks.length = 0;
    share.release();
    finishWith(full);
  });
  request.once("close", () => request.complete || share.release());
  const finish = () => {
    const [first] = chunks;
    share.release();
    if (size > maxBytes) finishWith(tooLarge(maxBytes));
    else finishWith(first ? (decodeText(chunks.length > 1 ? Buffer.concat(chunks) : first) ?? notUtf8) : "");
  };
  request.on("end", () => {
    if (isRefused) share.release();
    else if (size < largeBytes) finish();
    else loopTurns.add(principal && callerOf(principal), finish);
  });
}

const keptBodies = new WeakMap<IncomingMessage, string>();

/** Lets the body of a request be read a second time. */
export function keepBody(request: IncomingMessage, body: string): void {
  keptBodies.set(request, body);
}

/** The HTTP status for a body that was not read. */
export function statusOfUnread({ code }: BiplaneError): number {
  return code === "CAPACITY" ? 503 : 413;
}

/** Each of these holds the event loop for some milliseconds, so they take turns. Smaller bodies are handled at once. */
const largeBytes = 128 * 1024;

/** What a chunk takes besides its bytes: a body can arrive byte by byte. */
const overheadBytes = 256;

/** Bodies are JSON, which is UTF-8. This is neither, so that it fails to parse. */
const notUtf8 = "\ufffd";

function tooLarge(maxBytes: number): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `The body is larger than ${maxBytes} bytes.`);
}
