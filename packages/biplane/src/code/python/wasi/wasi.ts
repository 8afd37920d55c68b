import { errno, WasiFault } from "./errno.ts";
import { fileFunctions } from "./file-functions.ts";
import type { GuestMemory } from "./guest-memory.ts";
import { pathFunctions } from "./path-functions.ts";
import type { Descriptors } from "./descriptors.ts";
import type { ScratchFiles } from "./scratch-files.ts";

/** Everything a guest can reach outside its own memory. */
export interface GuestWorld {
  readonly memory: () => GuestMemory;
  readonly files: ScratchFiles;
  readonly descriptors: Descriptors;
  /** Receives printed bytes. 1 is standard output, 2 is standard error. */
  readonly print: (stream: 1 | 2, bytes: Uint8Array) => void;
  /** Sends one message to the host. Its answer can be read with `receive`. */
  readonly send: (message: Uint8Array) => void;
  readonly receive: (maxBytes: number) => Uint8Array;
  readonly nowNs: (isMonotonic: boolean) => bigint;
  readonly random: (bytes: Uint8Array) => void;
  readonly sleep: (ms: number) => void;
  readonly args: readonly string[];
}

/** Returns an error number. Undefined means success. */
export type WasiFunction = (...args: never[]) => number | undefined | void;

/** Thrown to unwind a guest that called `proc_exit`. */
export class GuestExit extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`exit ${status}`);
    this.status = status;
  }
}

/** The functions the interpreter imports. Unsupported ones return `nosys`. */
export function wasiImports(module: WebAssembly.Module, world: GuestWorld): WebAssembly.ModuleImports {
  const known: Record<string, WasiFunction> = {
    ...processFunctions(world),
    ...fileFunctions(world),
    ...pathFunctions(world),
  };
  const imports: WebAssembly.ModuleImports = {};
  for (const { name } of WebAssembly.Module.imports(module)) {
    const implementation = Object.hasOwn(known, name) ? known[name] : undefined;
    imports[name] = implementation ? returningErrno(implementation) : () => errno.nosys;
  }
  return imports;
}

/** Returns a fault as its number. Other errors end the guest. */
function returningErrno(implementation: WasiFunction): (...args: never[]) => number {
  return (...args) => {
    try {
      return implementation(...args) ?? errno.success;
    } catch (error) {
      if (error instanceof WasiFault) return error.errno;
      throw error;
    }
  };
}

function processFunctions(world: GuestWorld): Record<string, WasiFunction> {
  const sizes = (list: readonly string[], count: number, bytes: number): void => {
    world.memory().writeU32(count, list.length);
    world.memory().writeU32(bytes, Buffer.byteLength(list.map((text) => `${text}\0`).join("")));
  };
  const strings = (list: readonly string[], pointers: number, bytes: number): void => {
    const memory = world.memory();
    let at = bytes;
    list.forEach((text, index) => {
      const encoded = Buffer.from(`${text}\0`);
      memory.writeU32(pointers + 4 * index, at);
      memory.slice(at, encoded.length).set(encoded);
      at += encoded.length;
    });
  };
  return {
    args_sizes_get: (count: number, bytes: number) => sizes(world.args, count, bytes),
    args_get: (pointers: number, bytes: number) => strings(world.args, pointers, bytes),
    environ_sizes_get: (count: number, bytes: number) => sizes([], count, bytes),
    environ_get: () => {},
    clock_res_get: (clock: number, result: number) => {
      world.memory().writeU64(result, clockStepNs);
    },
    clock_time_get: (clock: number, _precision: bigint, result: number) => {
      const now = world.nowNs(clock !== 0);
      world.memory().writeU64(result, now - (now % clockStepNs));
    },
    random_get: (address: number, length: number) => {
      world.random(world.memory().slice(address, length));
    },
    /** Sleeps until the first timer. Streams are always ready. */
    poll_oneoff: (subscriptions: number, events: number, count: number, result: number) => {
      if (count < 1 || count > maxSubscriptions) throw new WasiFault(errno.inval);
      const memory = world.memory();
      const waits = Array.from({ length: count }, (_, index) => {
        const at = (subscriptions >>> 0) + 48 * index;
        const userData = memory.readU64(at);
        const kind = memory.slice(at + 8, 1)[0] ?? 0;
        if (kind !== 0) return { userData, kind, ms: 0 };
        const isMonotonic = memory.readU32(at + 16) !== 0;
        const isAbsolute = (memory.readU32(at + 40) & 1) === 1;
        const ns = memory.readU64(at + 24) - (isAbsolute ? world.nowNs(isMonotonic) : 0n);
        return { userData, kind, ms: Math.max(0, Number(ns) / 1e6) };
      });
      const ms = Math.min(...waits.map((wait) => wait.ms));
      if (ms > 0) world.sleep(ms);
      const ready = waits.filter((wait) => wait.ms <= ms);
      ready.forEach(({ userData, kind }, index) => {
        const event = (events >>> 0) + 32 * index;
        memory.slice(event, 32).fill(0);
        memory.writeU64(event, userData);
        memory.writeU8(event + 10, kind);
      });
      memory.writeU32(result, ready.length);
    },
    sched_yield: () => {},
    proc_exit: (status: number) => {
      throw new GuestExit(status);
    },
  };
}

/** Coarse, to hinder timing attacks on caches shared with other threads. */
const clockStepNs = 100_000n;

const maxSubscriptions = 64;
