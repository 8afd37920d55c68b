import { decodeNumber, encodeNumber, limitMemory, pageBytes, rewriteSections, section } from "../wasm-sections.ts";

export interface ModulePatch {
  /** The maximum memory of the module. */
  readonly memoryBytes: number;
  /** Omits the data section, for a module whose memory an image replaces. */
  readonly withoutData: boolean;
}

/**
 * Sets the interpreter's memory maximum and exports its function table and stack pointer, so that the host can call a
 * guest function after restoring its memory. Removes debug sections.
 */
export function patchModule(source: Uint8Array, { memoryBytes, withoutData }: ModulePatch): Uint8Array<ArrayBuffer> {
  return rewriteSections(source, (id, body) => {
    if (id === section.custom || (id === section.data && withoutData)) return undefined;
    if (id === section.memory) return limitMemory(body, Math.ceil(memoryBytes / pageBytes));
    return id === section.export ? addExports(body) : body;
  });
}

function addExports(body: Uint8Array): Uint8Array {
  const [count, start] = decodeNumber(body, 0);
  const table = [5, ...Buffer.from("table"), 1, 0];
  const stackPointer = [12, ...Buffer.from("stackPointer"), 3, 0];
  return Uint8Array.of(...encodeNumber(count + 2), ...body.subarray(start), ...table, ...stackPointer);
}
