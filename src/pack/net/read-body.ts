import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { BiplaneError } from "../../errors.ts";

/** Reads a whole answer, unpacked. Neither what came nor what it unpacks to may be larger than `maxBytes`. */
export async function readBody(
  response: IncomingMessage,
  options: { maxBytes: number; origin: string; signal: AbortSignal },
): Promise<Buffer> {
  const { maxBytes, origin, signal } = options;
  if (Number(response.headers["content-length"]) > maxBytes) {
    response.destroy();
    throw tooLarge(origin, maxBytes);
  }
  const chunks: Buffer[] = [];
  const atMost = async function* (source: AsyncIterable<Buffer>) {
    let size = 0;
    for await (const chunk of source) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(origin, maxBytes);
      yield chunk;
    }
  };
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of atMost(source)) chunks.push(chunk);
  };
  const unpack = unpacker(response.headers["content-encoding"], origin);
  if (unpack) await pipeline(response, atMost, unpack, collect, { signal });
  else await pipeline(response, collect, { signal });
  return Buffer.concat(chunks);
}

function unpacker(encoding: string | undefined, origin: string): Duplex | undefined {
  switch ((encoding ?? "identity").trim().toLowerCase()) {
    case "":
    case "identity":
      return undefined;
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      throw new BiplaneError("EXECUTION_ERROR", `${origin} answered in an encoding that was not asked for`);
  }
}

function tooLarge(origin: string, maxBytes: number): BiplaneError {
  const shown = maxBytes >= 2 ** 20 ? `${Math.floor(maxBytes / 2 ** 20)} MiB` : `${maxBytes} bytes`;
  return new BiplaneError("EXECUTION_ERROR", `the answer of ${origin} is larger than ${shown}`);
}
