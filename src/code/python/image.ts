import { markedRecursionLimit } from "./guest/boot.ts";
import { instantiate } from "./machine.ts";
import { Descriptors } from "./wasi/descriptors.ts";
import { GuestMemory } from "./wasi/guest-memory.ts";
import { ScratchFiles } from "./wasi/scratch-files.ts";
import type { GuestWorld } from "./wasi/wasi.ts";

/** The interpreter as it is when it has started and loaded what agents use, at rest: every context begins as a copy. */
export interface Image {
  readonly module: WebAssembly.Module;
  readonly memory: SharedArrayBuffer;
  /** The guest's function that takes a message, and where in the table the code lies that calls it. */
  readonly entryAddress: number;
  readonly entryIndex: number;
}

/** An image apart from the module, which depends on the memory a context may have. */
export type MemoryImage = Omit<Image, "module">;

/**
 * Starts the interpreter and stops it where its memory is complete. Everything it could see of this machine or this
 * moment is fixed, so that the image is the same everywhere and a snapshot of one process fits another.
 */
export function makeImage(module: WebAssembly.Module, source: string): MemoryImage {
  let said: Uint8Array | undefined;
  const printed: Uint8Array[] = [];
  const files = new ScratchFiles({ bytes: 0, nodes: 1 });
  let memory: GuestMemory | undefined;
  const world: GuestWorld = {
    memory: () => (memory ??= new GuestMemory(interpreter.memory)),
    files,
    descriptors: new Descriptors(files),
    print: (_stream, bytes) => void printed.push(bytes.slice()),
    say: (message) => {
      said = message;
    },
    hear: () => new Uint8Array(0),
    nowNs: () => {
      // The guest looks at the clock once it is ready. Unwinding it here leaves its memory as it is.
      if (said) throw new AtRest();
      return bootTimeNs;
    },
    random: (bytes) => void bytes.fill(42),
    sleep: () => {},
    args: ["python", "-I", "-S", "-B", "-c", source],
    environment: [],
  };
  const interpreter = instantiate(module, world);
  try {
    interpreter._start();
  } catch (error) {
    if (!(error instanceof AtRest)) {
      throw new Error(`Python did not start: ${Buffer.concat(printed).toString() || String(error)}`, { cause: error });
    }
  }
  if (!said) throw new Error(`Python did not start: ${Buffer.concat(printed).toString()}`);
  return describe(interpreter, Buffer.from(said).toString());
}

/**
 * Python allows itself only 500 nested calls through C, which a memoised recursion uses up at a depth of 160. The stack
 * beside the image has room for more. The count lies behind the limit on Python's own recursion, and boot has set that
 * one to a number that is found nowhere else.
 */
function deepen(view: DataView): void {
  for (let at = 4; at + 8 < view.byteLength; at += 4) {
    if (view.getInt32(at, true) !== markedRecursionLimit) continue;
    const pythonLeft = view.getInt32(at - 4, true);
    const cLeft = view.getInt32(at + 4, true);
    const isCount = pythonLeft > markedRecursionLimit - 50 && pythonLeft < markedRecursionLimit;
    if (!isCount || cLeft < 400 || cLeft > 500) continue;
    view.setInt32(at + 4, cLeft + moreCalls, true);
    return;
  }
  throw new Error("Python did not start: it is not the version this was made for");
}

const moreCalls = 2500;

class AtRest extends Error {}

const bootTimeNs = 1_700_000_000_000_000_000n;
/** Where a type says at which offset its instances keep the pointer to their calling code. */
const vectorcallOffsetField = 28;

function describe({ memory }: ReturnType<typeof instantiate>, said: string): MemoryImage {
  const [entryAddress = 0, typeAddress = 0] = said.split(" ").map(Number);
  const view = new DataView(memory.buffer);
  const offset = view.getUint32(typeAddress + vectorcallOffsetField, true);
  deepen(view);
  const copy = new SharedArrayBuffer(memory.buffer.byteLength);
  new Uint8Array(copy).set(new Uint8Array(memory.buffer));
  return {
    memory: copy,
    entryAddress,
    entryIndex: view.getUint32(entryAddress + offset, true),
  };
}
