import type { AuditOutcome } from "@biplane/core/internal";
import type { Route } from "@biplane/core";
import type { Sample } from "./exposition.ts";

/** Bounds of run times in seconds: from an in-memory lookup to a slow API. */
const runBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Bounds of waits for people in seconds: from an immediate answer to the next day. */
const waitBounds = [1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400];

/** Outcomes, run times and waits of the calls of one tool by one route. */
export class CallSeries {
  readonly #labels: Labels;
  readonly #outcomes = new Map<AuditOutcome, number>();
  readonly #runs = new SecondsHistogram(runBounds);
  /** Most tools never wait for a person, so their series stay out of the metrics. */
  #waits: SecondsHistogram | undefined;

  constructor(tool: string, route: Route) {
    this.#labels = { tool, route };
  }

  add(outcome: AuditOutcome, { runMs, waitedMs }: { runMs: number; waitedMs: number }): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
    this.#runs.add(runMs / 1000);
    if (waitedMs > 0) (this.#waits ??= new SecondsHistogram(waitBounds)).add(waitedMs / 1000);
  }

  calls(): Sample[] {
    return Array.from(this.#outcomes, ([outcome, value]) => ({ labels: { ...this.#labels, outcome }, value }));
  }

  durations(): Sample[] {
    return this.#runs.samples(this.#labels);
  }

  waits(): Sample[] {
    return this.#waits?.samples(this.#labels) ?? [];
  }
}

interface Labels {
  readonly tool: string;
  readonly route: Route;
}

class SecondsHistogram {
  readonly #bounds: readonly number[];
  readonly #buckets: Float64Array;
  #sum = 0;
  #count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#buckets = new Float64Array(bounds.length + 1);
  }

  add(seconds: number): void {
    this.#count++;
    this.#sum += seconds;
    let at = 0;
    while (at < this.#bounds.length && seconds > (this.#bounds[at] as number)) at++;
    this.#buckets[at] = (this.#buckets[at] as number) + 1;
  }

  samples(labels: Labels): Sample[] {
    let cumulative = 0;
    const buckets = Array.from(this.#buckets, (count, at) => {
      cumulative += count;
      const le = at < this.#bounds.length ? String(this.#bounds[at]) : "+Inf";
      return { suffix: "_bucket", labels: { ...labels, le }, value: cumulative };
    });
    return [
      ...buckets,
      { suffix: "_sum", labels: { ...labels }, value: this.#sum },
      { suffix: "_count", labels: { ...labels }, value: this.#count },
    ];
  }
}
