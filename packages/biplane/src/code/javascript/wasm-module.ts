import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { limitMemory, pageBytes, rewriteSections, section } from "../wasm-sections.ts";

/** Compiles QuickJS with a memory maximum slightly above `memoryBytes`, as a backstop for QuickJS's own limit. */
export function wasmModule(memoryBytes: number): Promise<WebAssembly.Module> {
  const pages = Math.min(65_536, Math.ceil(memoryBytes / pageBytes) + ownPages);
  const known = modules.get(pages);
  if (known) return known;
  const file = createRequire(import.meta.url).resolve("quickjs-wasi/quickjs.wasm");
  const limited = rewriteSections(readFileSync(file), (id, body) =>
    id === section.memory ? limitMemory(body, pages) : body,
  );
  const compiling = WebAssembly.compile(limited);
  modules.set(pages, compiling);
  return compiling;
}

const modules = new Map<number, Promise<WebAssembly.Module>>();

/** Pages for QuickJS itself, its stack, and allocations that its limit does not count. */
const ownPages = 64;
