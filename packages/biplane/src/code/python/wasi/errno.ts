/** WASI error numbers, by their names in the specification. */
export const errno = {
  success: 0,
  badf: 8,
  exist: 20,
  fault: 21,
  fbig: 22,
  inval: 28,
  isdir: 31,
  mfile: 33,
  nametoolong: 37,
  noent: 44,
  nospc: 51,
  nosys: 52,
  notdir: 54,
  notempty: 55,
  perm: 63,
  spipe: 70,
  notcapable: 76,
} as const;

/** Thrown by WASI functions. The guest sees only the number. */
export class WasiFault extends Error {
  readonly errno: number;

  constructor(number: number) {
    super(`errno ${number}`);
    this.errno = number;
  }
}
