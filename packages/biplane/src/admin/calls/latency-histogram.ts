/**
 * Counts durations by size, each step 10 % longer than the one before. So quantiles are right to 5 %, histograms of
 * several processes add up, and one takes little space however many durations it has.
 */
export class LatencyHistogram {
  readonly #counts = new Map<number, number>();

  add(ms: number): void {
    this.#add(stepOf(ms), 1);
  }

  /** Adds what another histogram counted. */
  merge(other: LatencyHistogram): void {
    for (const [step, count] of other.#counts) this.#add(step, count);
  }

  /** Adds a stored histogram. */
  mergeStored(json: string): void {
    const pairs = JSON.parse(json) as readonly number[];
    for (let at = 0; at + 1 < pairs.length; at += 2) this.#add(pairs[at] as number, pairs[at + 1] as number);
  }

  /** The duration that this share of the durations does not exceed, in milliseconds. Null if there are none. */
  quantile(share: number): number | null {
    let total = 0;
    for (const count of this.#counts.values()) total += count;
    if (total === 0) return null;
    const wanted = Math.max(1, Math.ceil(total * share));
    let seen = 0;
    for (const [step, count] of [...this.#counts].sort(([one], [other]) => one - other)) {
      seen += count;
      if (seen >= wanted) return middleOf(step);
    }
    return null;
  }

  /** Steps and their counts, as JSON. */
  stored(): string {
    return JSON.stringify([...this.#counts].flat());
  }

  #add(step: number, count: number): void {
    this.#counts.set(step, (this.#counts.get(step) ?? 0) + count);
  }
}

const ratio = 1.1;
const shortestMs = 0.01;
const maxStep = 300;

function stepOf(ms: number): number {
  if (!(ms > shortestMs)) return 0;
  return Math.min(maxStep, Math.ceil(Math.log(ms / shortestMs) / Math.log(ratio)));
}

function middleOf(step: number): number {
  const ms = shortestMs * ratio ** (step - 0.5);
  // Two significant digits: more would claim an accuracy that a histogram does not have.
  return Number(ms.toPrecision(2));
}
