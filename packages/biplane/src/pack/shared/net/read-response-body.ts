import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { BiplaneError } from "@biplane/core";

/** Reads and decompresses a response. Neither the compressed nor the decompressed body can exceed `maxBytes`. */
export async function readResponseBody(
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
  const decompress = decompressor(response.headers["content-encoding"], origin);
  if (decompress) await pipeline(response, atMost, decompress, collect, { signal });
  else await pipeline(response, collect, { signal });
  return Buffer.concat(chunks);
}

function decompressor(encoding: string | undefined, origin: string): Duplex | undefined {
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
      throw new BiplaneError("EXECUTION_ERROR", `${origin} answered with a content encoding that was not requested.`);
  }
}

function tooLarge(origin: string, maxBytes: number): BiplaneError {
  const shown = maxBytes >= 2 ** 20 ? `${Math.floor(maxBytes / 2 ** 20)} MiB` : `${maxBytes} bytes`;
  return new BiplaneError("EXECUTION_ERROR", `The response of ${origin} is larger than ${shown}.`);
}
