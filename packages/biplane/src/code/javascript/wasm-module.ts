import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** Compiles QuickJS with a memory maximum slightly above `memoryBytes`, as a backstop for QuickJS's own limit. */
export function wasmModule(memoryBytes: number): Promise<WebAssembly.Module> {
  const pages = Math.min(65_536, Math.ceil(memoryBytes / 65_536) + ownPages);
  const known = modules.get(pages);
  if (known) return known;
  const file = createRequire(import.meta.url).resolve("quickjs-wasi/quickjs.wasm");
  const compiling = WebAssembly.compile(withMaximum(readFileSync(file), pages));
  modules.set(pages, compiling);
  return compiling;
}

const modules = new Map<number, Promise<WebAssembly.Module>>();

/** Pages for QuickJS itself, its stack, and allocations that its limit does not count. */
const ownPages = 64;

/** Sets the maximum of the module's memory. */
function withMaximum(wasm: Buffer, pages: number): Uint8Array<ArrayBuffer> {
  let at = 8;
  while (at < wasm.length) {
    const start = at;
    const id = wasm[at++];
    const size = readLeb(wasm, at);
    const body = size.next;
    at = body + size.value;
    if (id !== memorySection) continue;
    const count = readLeb(wasm, body);
    const minimum = readLeb(wasm, count.next + 1);
    const limits = [1, 1, ...leb(minimum.value), ...leb(pages)];
    const section = Buffer.from([memorySection, ...leb(limits.length), ...limits]);
    return Uint8Array.from(Buffer.concat([wasm.subarray(0, start), section, wasm.subarray(at)]));
  }
  throw new Error("quickjs.wasm has no memory section.");
}

const memorySection = 5;

function readLeb(bytes: Uint8Array, from: number): { value: number; next: number } {
  let value = 0;
  let next = from;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[next++] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return { value: value >>> 0, next };
  }
}

function leb(value: number): number[] {
  const bytes = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return [...bytes, rest];
    bytes.push((rest & 0x7f) | 0x80);
  }
}
