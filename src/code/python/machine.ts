import { randomFillSync } from "node:crypto";
import type { Image } from "./image.ts";
import { applyPages, diffPages, memoryLength } from "../memory-pages.ts";
import { pageBytes } from "./patch-module.ts";
import { seededBytes } from "./seeded-bytes.ts";
import { Descriptors } from "./wasi/descriptors.ts";
import { GuestMemory } from "./wasi/guest-memory.ts";
import { ScratchFiles, type ScratchLimits } from "./wasi/scratch-files.ts";
import { wasiImports, type GuestWorld } from "./wasi/wasi.ts";

export interface MachineOptions {
  /** Where what is printed goes. */
  readonly print: (stream: 1 | 2, bytes: Uint8Array) => void;
  /** Answers what the guest says on its line; the guest sleeps meanwhile. Nothing to answer: undefined. */
  readonly answer: (message: Uint8Array) => Uint8Array | undefined;
  readonly scratch: ScratchLimits;
}

/** One interpreter. Between two calls of `enter` nothing of it is on the stack, so that its memory is all there is. */
export class Machine {
  readonly files: ScratchFiles;
  readonly descriptors: Descriptors;
  readonly #image: Image;
  readonly #exports: InterpreterExports;
  readonly #enter: EntryFunction;
  readonly #stackTop: number;
  #heard: Uint8Array = nothing;
  #random = secureBytes;

  constructor(image: Image, options: MachineOptions) {
    this.#image = image;
    this.files = new ScratchFiles(options.scratch);
    this.descriptors = new Descriptors(this.files);
    this.#exports = instantiate(image.module, this.#world(options));
    // Beside its image the guest gets a stack that is larger than the one it was built with: that ends after 60 levels.
    this.#stackTop = image.memory.byteLength + stackBytes;
    this.#grow(this.#stackTop);
    this.#exports.stackPointer.value = this.#stackTop;
    this.#memory.set(new Uint8Array(image.memory));
    this.#enter = this.#exports.table.get(image.entryIndex) as EntryFunction;
  }

  /** What has changed since the image. Nothing on the stack counts while the guest is at rest. */
  changedPages(): Uint8Array {
    const gap = { start: this.#image.memory.byteLength, end: this.#stackTop };
    return diffPages(this.#memory, new Uint8Array(this.#image.memory), gap);
  }

  /** Puts saved pages over those of the image. Only good while the guest is at rest. */
  restore(pages: Uint8Array): void {
    this.#grow(memoryLength(pages));
    applyPages(pages, this.#memory);
  }

  seed(seed: number | undefined): void {
    this.#random = seed === undefined ? secureBytes : seededBytes(seed);
  }

  /** Lets the guest take one message. False where it could not even begin to. */
  enter(message: Uint8Array): boolean {
    this.#heard = message;
    const result = this.#enter(this.#image.entryAddress, 0, 0, 0);
    this.#heard = nothing;
    return result !== 0 && this.#exports.stackPointer.value === this.#stackTop;
  }

  get #memory(): Uint8Array {
    return new Uint8Array(this.#exports.memory.buffer);
  }

  #grow(length: number): void {
    const { memory } = this.#exports;
    const missing = length - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
  }

  #world({ print, answer }: MachineOptions): GuestWorld {
    let memory: GuestMemory | undefined;
    return {
      memory: () => (memory ??= new GuestMemory(this.#exports.memory)),
      files: this.files,
      descriptors: this.descriptors,
      print,
      say: (message) => {
        this.#heard = answer(message) ?? nothing;
      },
      hear: (most) => {
        const part = this.#heard.subarray(0, most);
        this.#heard = this.#heard.subarray(part.length);
        return part;
      },
      nowNs: (isMonotonic) => (isMonotonic ? process.hrtime.bigint() : BigInt(Date.now()) * 1_000_000n),
      random: (bytes) => this.#random(bytes),
      sleep: (ms) => void Atomics.wait(sleepCell, 0, 0, ms),
      args: [],
      environment: [],
    };
  }
}

/** What the patched interpreter exports. */
export interface InterpreterExports {
  readonly memory: WebAssembly.Memory;
  readonly table: WebAssembly.Table;
  readonly stackPointer: WebAssembly.Global<"i32">;
  readonly _start: () => void;
}

export function instantiate(module: WebAssembly.Module, world: GuestWorld): InterpreterExports {
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasiImports(module, world) });
  return instance.exports as unknown as InterpreterExports;
}

/** A Python function as the interpreter itself calls it: the function, arguments, their count, keyword names. */
type EntryFunction = (callee: number, args: number, count: number, keywords: number) => number;

/** More than Python's own limit on nested C calls lets it use. */
export const stackBytes = 16 * 1024 * 1024;
const nothing = new Uint8Array(0);
const secureBytes = (bytes: Uint8Array): void => void randomFillSync(bytes);
const sleepCell = new Int32Array(new SharedArrayBuffer(4));
