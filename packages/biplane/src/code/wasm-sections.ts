/** Copies a module with each section's body replaced. A section without a body is left out. */
export function rewriteSections(
  source: Uint8Array,
  rewrite: (id: number, body: Uint8Array) => Uint8Array | undefined,
): Uint8Array<ArrayBuffer> {
  const parts = [source.subarray(0, preambleBytes)];
  for (const { id, body } of readSections(source)) {
    const rewritten = rewrite(id, body);
    if (rewritten) parts.push(Uint8Array.of(id, ...encodeNumber(rewritten.length)), rewritten);
  }
  return new Uint8Array(Buffer.concat(parts));
}

export const pageBytes = 65_536;
export const section = { custom: 0, memory: 5, export: 7, data: 11 };
const preambleBytes = 8;

/** Sets the maximum of a memory section, which has one memory: a flag for the maximum, the minimum, the maximum. */
export function limitMemory(body: Uint8Array, maximumPages: number): Uint8Array {
  const [minimumPages] = decodeNumber(body, 2);
  return Uint8Array.of(1, 1, ...encodeNumber(minimumPages), ...encodeNumber(Math.max(minimumPages, maximumPages)));
}

function* readSections(source: Uint8Array): Generator<{ id: number; body: Uint8Array }> {
  let at = preambleBytes;
  while (at < source.length) {
    const id = source[at] ?? 0;
    const [length, start] = decodeNumber(source, at + 1);
    at = start + length;
    yield { id, body: source.subarray(start, at) };
  }
}

export function decodeNumber(bytes: Uint8Array, start: number): [value: number, next: number] {
  let value = 0;
  let at = start;
  for (let scale = 1; ; scale *= 128) {
    const byte = bytes[at++] ?? 0;
    value += (byte & 127) * scale;
    if (byte < 128) return [value, at];
  }
}

export function encodeNumber(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...encodeNumber(Math.floor(value / 128))];
}
