/** A share of passes that was estimated from rows, of which each may have several rollouts. */
interface Share {
  /** From 0 to 1. */
  readonly mean: number;
  readonly standardError: number;
  readonly rows: number;
  readonly rollouts: number;
}

/**
 * The 95 % interval of a share (Wilson). Unlike Student's t, it stays within 0 and 1, and says that ten passes of ten
 * are no proof. Rollouts of one row are alike, so the sample is as large as the standard error over rows says: between
 * the number of rows and that of rollouts.
 */
export function shareInterval({ mean, standardError, rows, rollouts }: Share): readonly [number, number] {
  const size = Math.min(rollouts, Math.max(rows, (mean * (1 - mean)) / standardError ** 2 || 0));
  const spread = z ** 2 / size;
  const centre = (mean + spread / 2) / (1 + spread);
  const reach = (z / (1 + spread)) * Math.sqrt((mean * (1 - mean)) / size + spread / (4 * size));
  // Exact bounds, without rounding errors.
  return [mean === 0 ? 0 : Math.max(0, centre - reach), mean === 1 ? 1 : Math.min(1, centre + reach)];
}

/** Two-sided 95 % quantile of the normal distribution. */
const z = 1.959964;
