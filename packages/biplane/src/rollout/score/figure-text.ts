// How the figures of a run are written, on the page and in the terminal.

/** Up to `digits` decimals, without trailing zeros. */
export function decimal(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}

/** Like `decimal`, but small values keep two significant digits. The rounding errors of sums stay 0. */
export function precise(value: number | null | undefined): string {
  const size = Math.abs(value ?? 0);
  if (value === null || value === undefined || size >= 0.01 || size < 1e-9) return decimal(value);
  return decimal(Number(value.toPrecision(2)), 12);
}

/** Three decimals, so that the values of a column can be compared; one from 100 on. Small values are as in `precise`. */
export function fixed(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1e-9 && size < 0.01) return precise(value);
  const digits = size < 100 ? 3 : 1;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A standard error: three decimals at most, because more of them only look exact. */
export function uncertainty(value: number): string {
  return value > 0 && value < 0.0005 ? "< 0.001" : decimal(value, 3);
}

export function percent(share: number): string {
  return Number.isFinite(share) ? `${decimal(share * 100, 1)}%` : "–";
}

/** `$12.30`, `$0.109`, `$0.0042`: cents, and below a dollar as many digits as tell costs apart. */
export function dollars(cost: number): string {
  if (cost === 0 || cost >= 1)
    return `$${cost.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
  return `$${cost >= 0.01 ? cost.toFixed(3) : precise(cost)}`;
}
