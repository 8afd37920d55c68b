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
  const parts = [source.subarray(0, preambleBytes)];
  for (const { id, body } of readSections(source)) {
    if (id === section.custom || (id === section.data && withoutData)) continue;
    let patched = body;
    if (id === section.memory) patched = limitMemory(body, Math.ceil(memoryBytes / pageBytes));
    if (id === section.export) patched = addExports(body);
    parts.push(Uint8Array.of(id, ...encodeNumber(patched.length)), patched);
  }
  return concatenate(parts);
}

export const pageBytes = 65_536;
const preambleBytes = 8;
const section = { custom: 0, memory: 5, export: 7, data: 11 };

function* readSections(source: Uint8Array): Generator<{ id: number; body: Uint8Array }> {
  let at = preambleBytes;
  while (at < source.length) {
    const id = source[at] ?? 0;
    const [length, start] = decodeNumber(source, at + 1);
    at = start + length;
    yield { id, body: source.subarray(start, at) };
  }
}

/** A memory section has one memory: a flag for the maximum, the minimum, the maximum. */
function limitMemory(body: Uint8Array, maximumPages: number): Uint8Array {
  const [minimumPages] = decodeNumber(body, 2);
  return Uint8Array.of(1, 1, ...encodeNumber(minimumPages), ...encodeNumber(Math.max(minimumPages, maximumPages)));
}

function addExports(body: Uint8Array): Uint8Array {
  const [count, start] = decodeNumber(body, 0);
  const table = [5, ...Buffer.from("table"), 1, 0];
  const stackPointer = [12, ...Buffer.from("stackPointer"), 3, 0];
  return Uint8Array.of(...encodeNumber(count + 2), ...body.subarray(start), ...table, ...stackPointer);
}

function decodeNumber(bytes: Uint8Array, start: number): [value: number, next: number] {
  let value = 0;
  let at = start;
  for (let scale = 1; ; scale *= 128) {
    const byte = bytes[at++] ?? 0;
    value += (byte & 127) * scale;
    if (byte < 128) return [value, at];
  }
}

function encodeNumber(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...encodeNumber(Math.floor(value / 128))];
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
