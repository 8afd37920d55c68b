import { createHash } from "node:crypto";
import { deflateSync, inflateSync } from "node:zlib";
import { BiplaneError } from "../../errors.ts";
import type { SavedState } from "./messages.ts";

export interface SnapshotFit {
  /** The image the pages lie over. */
  readonly image: string;
  /** The tools as the guest knows them. */
  readonly tools: string;
  /** The most a snapshot may unpack to. */
  readonly mostBytes: number;
}

/** A saved context as bytes that fit the same interpreter with the same tools, in any process. */
export function encodeSnapshot({ pages, files }: SavedState, fit: SnapshotFit): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(pages.length);
  const body = deflateSync(Buffer.concat([length, pages, files]), { level: 1 });
  return new Uint8Array(Buffer.concat([digest(fit), body]));
}

/** The state in a snapshot. Whatever is in it can only harm the context that is made of it. */
export function decodeSnapshot(bytes: Uint8Array, fit: SnapshotFit): SavedState {
  if (Buffer.compare(bytes.subarray(0, digestBytes), digest(fit)) !== 0) {
    throw new BiplaneError(
      "INVALID_INPUT",
      "The snapshot does not fit: it was made by another engine, another version of it, or with other tools",
    );
  }
  try {
    const body = inflateSync(bytes.subarray(digestBytes), { maxOutputLength: fit.mostBytes });
    const end = 4 + body.readUInt32LE(0);
    if (end > body.length) throw new RangeError("it is cut");
    return { pages: Uint8Array.from(body.subarray(4, end)), files: Uint8Array.from(body.subarray(end)) };
  } catch (cause) {
    throw new BiplaneError("INVALID_INPUT", "The snapshot is damaged", { cause });
  }
}

const digestBytes = 32;

function digest({ image, tools }: SnapshotFit): Buffer {
  return createHash("sha256").update(`biplane python 1\n${image}\n${tools}`).digest();
}
