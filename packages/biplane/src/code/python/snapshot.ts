import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { deflate, inflate } from "node:zlib";
import { BiplaneError } from "@biplane/core";
import { sharedCopy } from "../memory-pages.ts";
import type { SavedState } from "./messages.ts";

export interface SnapshotFit {
  /** Fingerprint of the interpreter image. */
  readonly image: string;
  /** Hash of the tools. */
  readonly tools: string;
  /** Maximum size of the decompressed snapshot. */
  readonly maxBytes: number;
}

/** Encodes a saved context. It fits the same interpreter version with the same tools, in any process. */
export async function encodeSnapshot({ pages, files }: SavedState, fit: SnapshotFit): Promise<Uint8Array> {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(pages.length);
  const body = await promisify(deflate)(Buffer.concat([length, pages, files]), { level: 1 });
  return new Uint8Array(Buffer.concat([digest(fit), body]));
}

/** Decodes a snapshot. A malicious one can only harm its own context. */
export async function decodeSnapshot(bytes: Uint8Array, fit: SnapshotFit): Promise<SavedState> {
  if (Buffer.compare(bytes.subarray(0, digestBytes), digest(fit)) !== 0) {
    throw new BiplaneError(
      "INVALID_INPUT",
      "The snapshot does not fit. It was made by another engine or version, or with other tools.",
    );
  }
  try {
    const body = await promisify(inflate)(bytes.subarray(digestBytes), { maxOutputLength: fit.maxBytes });
    const end = 4 + body.readUInt32LE(0);
    if (end > body.length) throw new RangeError("The snapshot is truncated.");
    return { pages: sharedCopy(body.subarray(4, end)), files: sharedCopy(body.subarray(end)) };
  } catch (cause) {
    throw new BiplaneError("INVALID_INPUT", "The snapshot is damaged.", { cause });
  }
}

const digestBytes = 32;

function digest({ image, tools }: SnapshotFit): Buffer {
  return createHash("sha256").update(`biplane python 1\n${image}\n${tools}`).digest();
}
