import { svgElement } from "../page/element.ts";
import type { Table } from "./read-table.ts";

export interface ChartOptions {
  readonly kind: "bar" | "line";
  /** Column index of the x axis. */
  readonly category: number;
  /** Column index to sum up; `undefined` counts rows. */
  readonly value: number | undefined;
  /** In pixels. */
  readonly width: number;
}

/** Charts the visible rows: the sum of one column, grouped by another. */
export function chart(table: Table, shown: readonly number[], options: ChartOptions): SVGElement {
  const points = sums(table, shown, options);
  const max = Math.max(0, ...points.map(({ sum }) => sum));
  const min = Math.min(0, ...points.map(({ sum }) => sum));
  const ticks = ticksFor(min, max);
  const [low, high] = [Math.min(min, ticks[0] ?? 0), Math.max(max, ticks.at(-1) ?? 1)];
  const y = (value: number) => top + (1 - (value - low) / (high - low || 1)) * height;
  const width = Math.max(options.width - left - right, 100);
  const step = width / Math.max(points.length, 1);
  const x = (at: number) => left + (at + 0.5) * step;
  const what = options.value === undefined ? "rows" : (table.columns[options.value]?.title ?? "");
  const by = table.columns[options.category]?.title ?? "";
  const lines = ticks.flatMap((tick) => [
    svgElement("line", {
      class: tick === 0 ? "axis" : "rule",
      attributes: { x1: left, x2: left + width, y1: y(tick), y2: y(tick) },
    }),
    svgElement("text", {
      class: "tick",
      text: compact.format(tick),
      attributes: { x: left - 8, y: y(tick) + 4, "text-anchor": "end" },
    }),
  ]);
  const marks = options.kind === "line" ? lineMarks(points, x, y) : barMarks(points, { x, y, step });
  const stride = Math.ceil((points.length * 24) / width);
  const isNarrow = points.some(({ name }) => name.length * 7.2 > step * stride);
  const named = points.map((point, at) => ({ ...point, at })).filter(({ at }) => at % stride === 0);
  const names = named.map(({ name, at }) => nameAt(name, x(at), isNarrow));
  const whole = { width: left + width + right, height: top + height + (isNarrow ? 72 : 30) };
  return svgElement(
    "svg",
    {
      class: "chart",
      attributes: {
        ...whole,
        role: "img",
        "aria-label": `${what} by ${by}: ${points
          .slice(0, 50)
          .map(({ name, sum }) => `${name} ${exact.format(sum)}`)
          .join(", ")}`,
      },
    },
    [...lines, ...marks, ...names],
  );
}

const [left, right, top, height] = [48, 8, 14, 220];
const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumSignificantDigits: 3 });
const exact = new Intl.NumberFormat(undefined, { maximumFractionDigits: 6 });

interface Point {
  readonly name: string;
  readonly sum: number;
}

/** Small bars are merged into one. Lines keep the order of their rows, or that of numbers and dates. */
function sums({ columns, rows }: Table, shown: readonly number[], { kind, category, value }: ChartOptions): Point[] {
  const found = new Map<string, number>();
  for (const at of shown) {
    const row = rows[at] ?? [];
    const amount = value === undefined ? 1 : Number(row[value] ?? 0);
    if (!Number.isFinite(amount)) continue;
    const name = String(row[category] ?? "(empty)");
    found.set(name, (found.get(name) ?? 0) + amount);
  }
  const points = Array.from(found, ([name, sum]) => ({ name, sum }));
  const type = columns[category]?.type;
  if (kind === "line" || type === "date") {
    if (type === "date") points.sort((a, b) => Date.parse(a.name) - Date.parse(b.name));
    if (type === "number") points.sort((a, b) => Number(a.name) - Number(b.name));
    return points.length > maxPoints ? points.slice(0, maxPoints) : points;
  }
  if (points.length <= maxBars) return points;
  points.sort((a, b) => b.sum - a.sum);
  const others = points.slice(maxBars - 1);
  const rest = { name: `${others.length} others`, sum: others.reduce((sum, each) => sum + each.sum, 0) };
  return [...points.slice(0, maxBars - 1), rest];
}

const maxBars = 24;
const maxPoints = 1000;

function barMarks(
  points: readonly Point[],
  { x, y, step }: { x: (at: number) => number; y: (value: number) => number; step: number },
): SVGElement[] {
  const thick = Math.min(step * 0.72, 64);
  return points.map(({ name, sum }, at) => {
    const [from, to] = [y(Math.max(sum, 0)), y(Math.min(sum, 0))];
    const attributes = { x: x(at) - thick / 2, y: from, width: thick, height: Math.max(to - from, 1), rx: 3 };
    return svgElement("rect", { class: "bar", attributes }, [tip(name, sum)]);
  });
}

function lineMarks(points: readonly Point[], x: (at: number) => number, y: (value: number) => number): SVGElement[] {
  const d = points.map(({ sum }, at) => `${at === 0 ? "M" : "L"}${x(at).toFixed(1)} ${y(sum).toFixed(1)}`).join("");
  const dots = points.length > 120 ? [] : points;
  return [
    svgElement("path", { class: "curve", attributes: { d } }),
    ...dots.map(({ name, sum }, at) =>
      svgElement("circle", { class: "dot", attributes: { cx: x(at), cy: y(sum), r: 4 } }, [tip(name, sum)]),
    ),
  ];
}

function tip(name: string, sum: number): SVGElement {
  return svgElement("title", { text: `${name}: ${exact.format(sum)}` });
}

/** Rotates names that do not fit side by side. */
function nameAt(name: string, x: number, isNarrow: boolean): SVGElement {
  const maxLength = isNarrow ? 11 : 24;
  const text = name.length > maxLength ? `${name.slice(0, maxLength - 1)}…` : name;
  const y = top + height + (isNarrow ? 14 : 20);
  const attributes = isNarrow
    ? { x, y, "text-anchor": "end", transform: `rotate(-45 ${x} ${y})` }
    : { x, y, "text-anchor": "middle" };
  return svgElement("text", { class: "tick", text, attributes }, [svgElement("title", { text: name })]);
}

/** About five round numbers that cover the range. */
function ticksFor(min: number, max: number): number[] {
  const span = max - min || 1;
  const rough = span / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((each) => each * power >= rough) ?? 10) * power;
  const ticks: number[] = [];
  for (let at = Math.floor(min / step); at <= Math.ceil(max / step); at++)
    ticks.push(Number((at * step).toPrecision(12)));
  return ticks;
}
