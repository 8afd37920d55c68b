import { markedRecursionLimit } from "./guest/boot.ts";
import { instantiate } from "./machine.ts";
import { Descriptors } from "./wasi/descriptors.ts";
import { GuestMemory } from "./wasi/guest-memory.ts";
import { ScratchFiles } from "./wasi/scratch-files.ts";
import type { GuestWorld } from "./wasi/wasi.ts";

/** The memory of a started interpreter with its modules loaded. Every context starts as a copy. */
export interface InterpreterImage {
  readonly module: WebAssembly.Module;
  readonly memory: SharedArrayBuffer;
  /** The address of the guest's `take` function, and the table index of the code that calls it. */
  readonly entryAddress: number;
  readonly entryIndex: number;
}

/** An image without the module, which depends on the memory limit of a context. */
export type MemoryImage = Omit<InterpreterImage, "module">;

/**
 * Starts the interpreter and stops it when its modules are loaded. Clock and randomness are fixed, so the image is the
 * same in every process and snapshots are portable.
 */
export function createImage(module: WebAssembly.Module, source: string): MemoryImage {
  let message: Uint8Array | undefined;
  const printed: Uint8Array[] = [];
  const files = new ScratchFiles({ bytes: 0, nodes: 1 });
  let memory: GuestMemory | undefined;
  const world: GuestWorld = {
    memory: () => (memory ??= new GuestMemory(interpreter.memory)),
    files,
    descriptors: new Descriptors(files),
    print: (_stream, bytes) => void printed.push(bytes.slice()),
    send: (bytes) => {
      message = bytes;
    },
    receive: () => new Uint8Array(0),
    nowNs: () => {
      // The guest reads the clock once it is ready. Throwing here stops it without changing its memory.
      if (message) throw new Booted();
      return bootTimeNs;
    },
    random: (bytes) => void bytes.fill(42),
    sleep: () => {},
    args: ["python", "-I", "-S", "-B", "-c", source],
  };
  const interpreter = instantiate(module, world);
  try {
    interpreter._start();
  } catch (error) {
    if (!(error instanceof Booted)) {
      throw new Error(`Python did not start: ${Buffer.concat(printed).toString() || String(error)}`, { cause: error });
    }
  }
  if (!message) throw new Error(`Python did not start: ${Buffer.concat(printed).toString()}`);
  return describe(interpreter, Buffer.from(message).toString());
}

/**
 * Raises Python's limit of 500 nested C calls, which memoised recursion reaches at a depth of 160. The counter is
 * stored after the recursion limit, which the boot code has set to a unique number.
 */
function raiseCallLimit(view: DataView): void {
  for (let at = 4; at + 8 < view.byteLength; at += 4) {
    if (view.getInt32(at, true) !== markedRecursionLimit) continue;
    const pythonLeft = view.getInt32(at - 4, true);
    const cLeft = view.getInt32(at + 4, true);
    const isCount = pythonLeft > markedRecursionLimit - 50 && pythonLeft < markedRecursionLimit;
    if (!isCount || cLeft < 400 || cLeft > 500) continue;
    view.setInt32(at + 4, cLeft + extraCalls, true);
    return;
  }
  throw new Error("Python did not start: this version of the interpreter is not supported.");
}

const extraCalls = 2500;

class Booted extends Error {}

const bootTimeNs = 1_700_000_000_000_000_000n;
/** Offset of `tp_vectorcall_offset` in a type object. */
const vectorcallOffsetField = 28;

function describe({ memory }: ReturnType<typeof instantiate>, message: string): MemoryImage {
  const [entryAddress = 0, typeAddress = 0] = message.split(" ").map(Number);
  const view = new DataView(memory.buffer);
  const offset = view.getUint32(typeAddress + vectorcallOffsetField, true);
  raiseCallLimit(view);
  const copy = new SharedArrayBuffer(memory.buffer.byteLength);
  new Uint8Array(copy).set(new Uint8Array(memory.buffer));
  return {
    memory: copy,
    entryAddress,
    entryIndex: view.getUint32(entryAddress + offset, true),
  };
}
