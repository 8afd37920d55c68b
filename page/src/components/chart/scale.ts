/** Round values for an axis, the first at or below the least and the last at or above the most. */
export function ticks(least: number, most: number, about = 4): readonly number[] {
  if (!Number.isFinite(least) || !Number.isFinite(most)) return [0, 1];
  const [from, to] = least === most ? [least - (least === 0 ? 0 : 1), most + 1] : [least, most];
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

/** From a value to a place on the screen. */
export function linear(from: readonly [number, number], to: readonly [number, number]): (value: number) => number {
  const size = from[1] - from[0] || 1;
  return (value) => to[0] + ((value - from[0]) / size) * (to[1] - to[0]);
}
