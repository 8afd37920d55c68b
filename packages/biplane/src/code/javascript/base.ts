import { QuickJS } from "quickjs-wasi";
import type { QuickJSOptions } from "quickjs-wasi";
import { sharedCopy } from "../memory-pages.ts";
import { prelude } from "./prelude.ts";
import type { Landmarks } from "./snapshot.ts";
import { functionsOf } from "./toolset.ts";
import type { Toolset } from "./toolset.ts";

/** The memory of a machine that has its tools and has run no code. Every context starts as a copy. */
export interface Base {
  readonly module: WebAssembly.Module;
  readonly memory: Uint8Array;
  readonly landmarks: Landmarks;
}

/** A context that is not running, as the difference from its base. */
export interface ContextImage {
  readonly landmarks: Landmarks;
  readonly pages: Uint8Array;
}

export async function createBase(module: WebAssembly.Module, toolset: Toolset): Promise<Base> {
  const machine = await QuickJS.create(machineOptions(module, () => false));
  const noop = () => machine.undefined;
  const hosts = hostNames.map((name) => machine.newFunction(name, noop));
  const text = machine.newString(JSON.stringify(functionsOf(toolset.tools)));
  const install = machine.evalCode(prelude, preludeFile);
  const parts = machine.callFunction(install, machine.undefined, ...hosts, text);
  const settle = machine.exportHandle(machine.getProp(parts, machine.newNumber(0)));
  const watch = machine.exportHandle(machine.getProp(parts, machine.newNumber(1)));
  const nothing = machine.exportHandle(machine.callFunction(machine.evalCode("() => {}"), machine.undefined));
  const { memory, stackPointer, runtimePtr, contextPtr } = machine.snapshot();
  const landmarks = { stackPointer, runtimePtr, contextPtr, settle, watch, nothing };
  return { module, memory: sharedCopy(memory), landmarks };
}

const preludeFile = "prelude.js";
const hostNames = ["call", "print", "done", "meta"] as const;

/** Gives the machine no clock except the time of day, and discards its writes. */
export function machineOptions(wasm: WebAssembly.Module, interruptHandler: () => boolean): QuickJSOptions {
  return {
    wasm,
    interruptHandler,
    timezoneOffset: 0,
    wasi: (memory) => ({ fd_write: (...args: number[]) => discardWrite(memory, args) }),
  };
}

/** Reports all bytes as written. */
function discardWrite(memory: WebAssembly.Memory, [, parts = 0, count = 0, written = 0]: readonly number[]): number {
  const view = new DataView(memory.buffer);
  let bytes = 0;
  for (let part = 0; part < count; part++) bytes += view.getUint32(parts + part * 8 + 4, true);
  view.setUint32(written, bytes, true);
  return 0;
}
