import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import type { ToolBindings } from "./engine.ts";
import type { ContextImage } from "./base.ts";
import { applyPages, diffPages, memoryLength } from "../memory-pages.ts";

/** Encodes a context for another process: all its non-zero memory. */
export function writeSnapshot(image: ContextImage | undefined, { base, toolset }: ToolBindings): Uint8Array {
  const memory = image ? wholeMemory(image, base.memory) : base.memory;
  const landmarks = image?.landmarks ?? base.landmarks;
  const header = Buffer.from(JSON.stringify({ format, tools: toolset.fingerprint, landmarks }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length);
  return Buffer.concat([length, header, diffPages(memory, new Uint8Array())]);
}

/** Decodes a snapshot for a context with the same tools. */
export function readSnapshot(snapshot: Uint8Array, { base, toolset }: ToolBindings): ContextImage {
  try {
    const bytes = Buffer.from(snapshot);
    const start = 4 + bytes.readUInt32LE(0);
    const header = JSON.parse(bytes.toString("utf8", 4, start)) as Record<string, unknown>;
    if (header["format"] !== format) throw new RangeError("it has another format");
    if (header["tools"] !== toolset.fingerprint) throw new RangeError("it was made with other tools");
    const pages = bytes.subarray(start);
    const memory = new Uint8Array(memoryLength(pages));
    applyPages(pages, memory);
    return { landmarks: readLandmarks(header["landmarks"], memory.length), pages: diffPages(memory, base.memory) };
  } catch (error) {
    throw new BiplaneError("INVALID_INPUT", `This snapshot does not fit the JavaScript context: ${messageOf(error)}.`);
  }
}

const format = "biplane-javascript-1";

const landmarkNames = ["stackPointer", "runtimePtr", "contextPtr", "settle", "watch", "nothing"] as const;

/** Addresses in a machine's memory that the host needs to restore it. */
export type Landmarks = Readonly<Record<(typeof landmarkNames)[number], number>>;

function wholeMemory({ pages }: ContextImage, base: Uint8Array): Uint8Array {
  const memory = new Uint8Array(Math.max(memoryLength(pages), base.length));
  memory.set(base);
  applyPages(pages, memory);
  return memory;
}

function readLandmarks(given: unknown, end: number): Landmarks {
  const addresses = landmarkNames.map((name) => [name, (given as Landmarks)[name]] as const);
  for (const [, address] of addresses) {
    if (!(Number.isInteger(address) && address > 0 && address < end)) throw new RangeError("its addresses are wrong");
  }
  return Object.fromEntries(addresses) as Landmarks;
}
