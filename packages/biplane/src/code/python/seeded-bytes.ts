/** Deterministic bytes from a seed. Not for secrets. */
export function seededBytes(seed: number): (bytes: Uint8Array) => void {
  let state = seed >>> 0;
  return (bytes) => {
    for (let index = 0; index < bytes.length; index++) {
      // splitmix32
      state = (state + 0x9e37_79b9) | 0;
      let mixed = state ^ (state >>> 16);
      mixed = Math.imul(mixed, 0x21f0_aaad);
      mixed ^= mixed >>> 15;
      mixed = Math.imul(mixed, 0x735a_2d97);
      bytes[index] = (mixed ^ (mixed >>> 15)) & 255;
    }
  };
}
