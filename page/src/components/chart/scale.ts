import { decimal } from "../../format.ts";

/** Round axis values that include both bounds. */
export function ticks(min: number, max: number, about = 4): readonly number[] {
  if (!Number.isFinite(min) || !Number.isFinite(max)) return [0, 1];
  const [from, to] = min === max ? [Math.min(0, min), min === 0 ? 1 : Math.max(0, max)] : [min, max];
  const rough = (to - from) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((each) => each * power >= rough) ?? 10) * power;
  const values: number[] = [];
  const start = Math.floor(from / step + 1e-9);
  for (let at = start; ; at++) {
    values.push(Number((at * step).toPrecision(12)));
    if (at * step >= to - step * 1e-9 || values.length > 20) return values;
  }
}

/** A value of an axis with as many decimals as its step needs. */
export function tickLabel(tick: number, all: readonly number[]): string {
  const step = Math.abs((all[1] ?? 1) - (all[0] ?? 0)) || 1;
  const digits = Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(step))));
  return decimal(tick, digits);
}

/** A linear mapping from values to pixels. */
export function linear(from: readonly [number, number], to: readonly [number, number]): (value: number) => number {
  const size = from[1] - from[0] || 1;
  return (value) => to[0] + ((value - from[0]) / size) * (to[1] - to[0]);
}
