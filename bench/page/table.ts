import type { Reaction } from "./watch.ts";

/** Measurements with their upper bounds. */
export class Table {
  readonly #values = new Map<string, number[]>();
  readonly #bounds = new Map<string, number>();
  readonly #units = new Map<string, string>();
  #printed = 0;

  /** Adds one round. The median of all rounds counts. */
  add(name: string, value: number, { most, unit = "ms" }: { most?: number | undefined; unit?: string } = {}): void {
    const values = this.#values.get(name) ?? [];
    this.#values.set(name, [...values, value]);
    this.#units.set(name, unit);
    if (most !== undefined) this.#bounds.set(name, most);
  }

  /** Adds the time to the first feedback and to the new content after an input. */
  addReaction(name: string, { feedbackMs, contentMs }: Reaction, most: { content?: number } = {}): void {
    this.add(`${name}_feedback`, feedbackMs, { most: 100 });
    this.add(`${name}_content`, contentMs, { most: most.content });
  }

  /** Prints the measurements added since the last call. */
  print(title: string): void {
    console.log(`\n${title}`);
    for (const [name, values] of Array.from(this.#values).slice(this.#printed)) {
      const unit = this.#units.get(name) ?? "";
      const figures = values.length > 1 ? `${shown(Math.min(...values))} to ${shown(Math.max(...values))}` : "";
      const bound = this.#bounds.has(name) ? `at most ${this.#bounds.get(name)}` : "";
      console.log(
        `  ${name.padEnd(34)}${`${shown(median(values))} ${unit}`.padStart(12)}  ${bound.padEnd(14)}${figures}`,
      );
    }
    this.#printed = this.#values.size;
  }

  verdict(): { ratios: Record<string, number>; bounds: Record<string, string>; isKept: boolean } {
    const ratios = Object.fromEntries(Array.from(this.#values, ([name, values]) => [name, tidy(median(values))]));
    const bounds = Object.fromEntries(Array.from(this.#bounds, ([name, most]) => [name, `<=${most}`]));
    const isKept = Array.from(this.#bounds).every(([name, most]) => (ratios[name] ?? Infinity) <= most);
    return { ratios, bounds, isKept };
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}

function shown(value: number): string {
  return tidy(value).toString();
}

function tidy(value: number): number {
  return Math.round(value * 10) / 10;
}
