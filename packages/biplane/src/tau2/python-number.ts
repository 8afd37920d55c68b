/** Python's `round(value, 2)`: by the exact binary value, ties to even. */
export function roundToCents(value: number): number {
  return Number(toCents(value));
}

/** Python's `f"{value:.2f}"`. */
export function toCents(value: number): string {
  if (Object.is(value, -0)) return "-0.00";
  if (!isTie(value)) return value.toFixed(2);
  const lower = Math.floor(value * 100);
  return ((lower % 2 === 0 ? lower : lower + 1) / 100).toFixed(2);
}

/** Only eighths lie exactly between two cents. `toFixed` rounds them away from zero. */
function isTie(value: number): boolean {
  return Math.abs(value) < 2 ** 50 && Math.abs((value * 8) % 2) === 1;
}
