import type { AuditOutcome } from "../call/audit.ts";
import type { Route } from "../tool/call.ts";
import type { Sample } from "./exposition.ts";

/** Upper bounds in seconds: from a lookup in memory to a tool that waits for a person. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;

/** What the calls of one tool by one route came to, and how long they took. */
export class CallSeries {
  readonly #labels: { readonly tool: string; readonly route: Route };
  readonly #outcomes = new Map<AuditOutcome, number>();
  readonly #buckets = new Float64Array(bounds.length + 1);
  #sum = 0;
  #count = 0;

  constructor(tool: string, route: Route) {
    this.#labels = { tool, route };
  }

  add(outcome: AuditOutcome, durationMs: number): void {
    const seconds = durationMs / 1000;
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
    this.#count++;
    this.#sum += seconds;
    let at = 0;
    while (at < bounds.length && seconds > (bounds[at] as number)) at++;
    this.#buckets[at] = (this.#buckets[at] as number) + 1;
  }

  calls(): Sample[] {
    return Array.from(this.#outcomes, ([outcome, value]) => ({ labels: { ...this.#labels, outcome }, value }));
  }

  durations(): Sample[] {
    let below = 0;
    const buckets = Array.from(this.#buckets, (count, at) => {
      below += count;
      const le = at < bounds.length ? String(bounds[at]) : "+Inf";
      return { suffix: "_bucket", labels: { ...this.#labels, le }, value: below };
    });
    return [
      ...buckets,
      { suffix: "_sum", labels: this.#labels, value: this.#sum },
      { suffix: "_count", labels: this.#labels, value: this.#count },
    ];
  }
}
