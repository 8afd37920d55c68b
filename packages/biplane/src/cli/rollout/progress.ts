import type { Trace } from "../../rollout/trace.ts";
import { duration, short } from "../terminal/format.ts";

/** Prints the progress of a run to standard error: one updating line on a terminal, else a line every 5 seconds. */
export class RolloutProgress {
  readonly #total: number;
  readonly #output: NodeJS.WriteStream;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #failures = new Map<string, number>();
  #done = 0;
  #steps = 0;
  /** Rollouts with a reward, and its sum. */
  #rewarded = 0;
  #reward = 0;
  #printedAt: number;

  constructor(total: number, options: { output?: NodeJS.WriteStream; now?: () => number } = {}) {
    this.#total = total;
    this.#output = options.output ?? process.stderr;
    this.#now = options.now ?? (() => performance.now());
    this.#startedAt = this.#now();
    this.#printedAt = this.#startedAt;
  }

  add({ totalReward, steps, failure }: Trace): void {
    this.#done++;
    this.#steps += steps.length;
    if (totalReward !== null) {
      this.#rewarded++;
      this.#reward += totalReward;
    }
    if (failure) this.#failures.set(failure.kind, (this.#failures.get(failure.kind) ?? 0) + 1);
    const now = this.#now();
    if (now - this.#printedAt < (this.#output.isTTY ? 100 : 5000)) return;
    this.#printedAt = now;
    this.#output.write(this.#output.isTTY ? `\r\u001B[2K${this.line()}` : `${this.line()}\n`);
  }

  /** Clears the line on a terminal. */
  end(): void {
    if (this.#output.isTTY) this.#output.write("\r\u001B[2K");
  }

  line(): string {
    const seconds = (this.#now() - this.#startedAt) / 1000;
    const rate = this.#done / Math.max(seconds, 0.001);
    const left = rate > 0 ? duration(((this.#total - this.#done) / rate) * 1000) : "?";
    const failures = Array.from(this.#failures, ([kind, count]) => `${kind} ${count}`).join(", ");
    return [
      `${this.#done}/${this.#total}`,
      `${rate.toFixed(1)} rollouts/s, ${Math.round(this.#steps / Math.max(seconds, 0.001))} steps/s`,
      `reward ${short(this.#rewarded === 0 ? null : this.#reward / this.#rewarded)}`,
      failures === "" ? "no failures" : `failures: ${failures}`,
      `${left} left`,
    ].join("  ");
  }
}
