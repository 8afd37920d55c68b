import { randomFillSync } from "node:crypto";
import type { InterpreterImage } from "./image.ts";
import { applyPages, diffPages, memoryLength } from "../memory-pages.ts";
import { pageBytes } from "../wasm-sections.ts";
import { seededBytes } from "./seeded-bytes.ts";
import { Descriptors } from "./wasi/descriptors.ts";
import { GuestMemory } from "./wasi/guest-memory.ts";
import { ScratchFiles, type ScratchLimits } from "./wasi/scratch-files.ts";
import { wasiImports, type GuestWorld } from "./wasi/wasi.ts";

export interface MachineOptions {
  /** Receives printed bytes. */
  readonly print: (stream: 1 | 2, bytes: Uint8Array) => void;
  /** Answers a request of the guest, which blocks until then. Undefined means no answer. */
  readonly answer: (message: Uint8Array) => Uint8Array | undefined;
  readonly scratch: ScratchLimits;
}

/** One interpreter. Between calls of `enter` its stack is empty, so its memory is its complete state. */
export class Machine {
  readonly files: ScratchFiles;
  readonly descriptors: Descriptors;
  readonly #image: InterpreterImage;
  readonly #exports: InterpreterExports;
  readonly #enter: EntryFunction;
  readonly #stackTop: number;
  #pending: Uint8Array = nothing;
  #random = secureBytes;

  constructor(image: InterpreterImage, options: MachineOptions) {
    this.#image = image;
    this.files = new ScratchFiles(options.scratch);
    this.descriptors = new Descriptors(this.files);
    this.#exports = instantiate(image.module, this.#world(options));
    // The stack it was built with overflows after 60 levels, so the guest gets a larger one after its image.
    this.#stackTop = image.memory.byteLength + stackBytes;
    this.#grow(this.#stackTop);
    this.#exports.stackPointer.value = this.#stackTop;
    this.#memory.set(new Uint8Array(image.memory));
    this.#enter = this.#exports.table.get(image.entryIndex) as EntryFunction;
  }

  /** The pages that differ from the image, without the stack. */
  changedPages(): Uint8Array {
    const gap = { start: this.#image.memory.byteLength, end: this.#stackTop };
    return diffPages(this.#memory, new Uint8Array(this.#image.memory), gap);
  }

  /** Applies saved pages to the image. Call it only while the guest is not running. */
  restore(pages: Uint8Array): void {
    this.#grow(memoryLength(pages));
    applyPages(pages, this.#memory);
  }

  seed(seed: number | undefined): void {
    this.#random = seed === undefined ? secureBytes : seededBytes(seed);
  }

  /** Runs the guest with one message. False if it could not handle it. */
  enter(message: Uint8Array): boolean {
    this.#pending = message;
    const result = this.#enter(this.#image.entryAddress, 0, 0, 0);
    this.#pending = nothing;
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
      send: (message) => {
        this.#pending = answer(message) ?? nothing;
      },
      receive: (maxBytes) => {
        const part = this.#pending.subarray(0, maxBytes);
        this.#pending = this.#pending.subarray(part.length);
        return part;
      },
      nowNs: (isMonotonic) => (isMonotonic ? process.hrtime.bigint() : BigInt(Date.now()) * 1_000_000n),
      random: (bytes) => this.#random(bytes),
      sleep: (ms) => void Atomics.wait(sleepCell, 0, 0, ms),
      args: [],
    };
  }
}

export interface InterpreterExports {
  readonly memory: WebAssembly.Memory;
  readonly table: WebAssembly.Table;
  readonly stackPointer: WebAssembly.Global;
  readonly _start: () => void;
}

export function instantiate(module: WebAssembly.Module, world: GuestWorld): InterpreterExports {
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasiImports(module, world) });
  return instance.exports as unknown as InterpreterExports;
}

/** CPython's vectorcall signature. */
type EntryFunction = (callee: number, args: number, count: number, keywords: number) => number;

/** More than Python's limit on nested C calls can use. */
export const stackBytes = 16 * 1024 * 1024;
const nothing = new Uint8Array(0);
const secureBytes = (bytes: Uint8Array): void => void randomFillSync(bytes);
const sleepCell = new Int32Array(new SharedArrayBuffer(4));
