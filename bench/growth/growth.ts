import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { table } from "../mcp/figures.ts";
import { isMissed } from "../mcp/verdict.ts";

/** The exponents that figures may have: what should not depend on the size, and what may grow with it. */
export const bounds = { constant: { max: 0.3 }, linear: { max: 1.25 } } as const;

/** A figure that is measured at growing sizes. */
export interface Figure {
  /** Adds a value. The least of all values of a size counts: other load on the machine only adds. */
  add(size: number, value: number): void;
}

/** Figures at growing sizes, and how they grow. */
export class Growth {
  readonly #figures: Measured[] = [];

  /** Without a bound, the figure is only shown. */
  figure(name: string, options: { unit: string; bound?: keyof typeof bounds }): Figure {
    const values = new Map<number, number[]>();
    this.#figures.push({ name, values, ...options });
    return { add: (size, value) => void values.set(size, [...(values.get(size) ?? []), value]) };
  }

  report(): { ratios: Record<string, number>; bounds: Record<string, { max: number }>; missed: readonly string[] } {
    const rows = this.#figures.flatMap((figure) => rowsOf(figure));
    process.stdout.write(`\n${table(["figure", "size", "least", "unit", "exponent", "at most"], rows)}\n\n`);
    const bounded = this.#figures.flatMap(({ bound, ...figure }) => (bound ? [{ ...figure, bound }] : []));
    const ratios = Object.fromEntries(
      bounded.map((figure) => [figure.name, Number((exponents(figure).at(-1) ?? NaN).toFixed(3))]),
    );
    return {
      ratios,
      bounds: Object.fromEntries(bounded.map(({ name, bound }) => [name, bounds[bound]])),
      missed: bounded.filter(({ name, bound }) => isMissed(ratios[name], bounds[bound])).map(({ name }) => name),
    };
  }
}

interface Measured {
  readonly name: string;
  readonly unit: string;
  readonly bound?: keyof typeof bounds;
  readonly values: ReadonlyMap<number, readonly number[]>;
}

function rowsOf(figure: Measured): string[][] {
  const { name, unit, values, bound } = figure;
  const found = exponents(figure);
  return Array.from(values, ([size, all], at) => [
    at === 0 ? name : "",
    size.toLocaleString("en"),
    shown(Math.min(...all)),
    unit,
    found[at - 1]?.toFixed(2) ?? "",
    at === values.size - 1 && bound ? String(bounds[bound].max) : "",
  ]);
}

function shown(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
}

/** The exponent from each size to the next. The last one counts: there, the largest term is the whole. */
function exponents({ values }: Pick<Measured, "values">): number[] {
  const points = Array.from(values, ([size, all]) => [Math.log(size), Math.log(Math.min(...all))] as const);
  return points.slice(1).map(([size, value], at) => {
    const [sizeBefore, valueBefore] = points[at] as readonly [number, number];
    return (value - valueBefore) / (size - sizeBefore);
  });
}

/** CPU microseconds of this process for some work, each time after a collection of garbage. */
export async function cpuOf(work: () => unknown, times = 1): Promise<number> {
  collectGarbage();
  const before = process.cpuUsage();
  for (let time = 0; time < times; time++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
