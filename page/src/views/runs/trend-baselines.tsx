import type { JSX } from "preact";
import { relative } from "../../format.ts";
import { href } from "../../router.ts";
import { runTitle } from "./run-name.tsx";
import type { Trend } from "./trend-series.ts";

interface Levels {
  readonly baselines: Trend["baselines"];
  readonly y: (value: number) => number;
  readonly from: number;
  readonly to: number;
  readonly format: (value: number) => string;
  /** Where points and lines are, which a name must not cover. */
  readonly marks: readonly Mark[];
  /** True if there is space for the names beside the lines. */
  readonly isBeside: boolean;
}

/** A part of a line, or a point with its error. */
interface Mark {
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

/** The points of a trend with their errors, and the lines between them in short parts. */
export function marksOf(
  points: Trend["points"],
  x: (at: number) => number,
  y: (value: number) => number,
): readonly Mark[] {
  return points.flatMap((point, at) => {
    const { value, error } = point;
    const own = { x: x(point.at), top: y(value + error) - 5, bottom: y(value - error) + 5 };
    const next = points.slice(at + 1).find(({ series }) => series === point.series);
    if (!next) return [own];
    const parts = Array.from({ length: 8 }, (_, part) => {
      const share = (part + 0.5) / 8;
      const middle = y(value + (next.value - value) * share);
      return { x: x(point.at + (next.at - point.at) * share), top: middle, bottom: middle };
    });
    return [own, ...parts];
  });
}

/** A level line for each baseline, which opens its run. */
export function TrendBaselines({ baselines, y, from, to, format }: Levels): JSX.Element {
  return (
    <>
      {baselines.map(({ run, value }) => (
        <a
          key={run.id}
          class="trend-baseline"
          href={href("runs", [run.id])}
          aria-label={`Baseline ${runTitle(run)}: ${format(value)}, ${relative(run.startedAt)}`}
        >
          <title>{`Baseline ${runTitle(run)}: ${format(value)}`.slice(0, 200)}</title>
          <rect class="trend-level-hit" x={from} y={y(value) - 7} width={Math.max(0, to - from)} height={14} />
          {/* Between two rows of pixels one line would look thinner than another. */}
          <path class="trend-level" d={`M${from} ${Math.round(y(value)) + 0.5}H${to}`} />
        </a>
      ))}
    </>
  );
}

/**
 * The names of the baselines: beside the lines, or in small charts at an end, above or below, where they cover least.
 * Drawn last, over every line.
 */
export function BaselineNames(levels: Levels): JSX.Element {
  const { baselines, y, from, to, format, isBeside } = levels;
  const sorted = baselines.toSorted((one, other) => other.value - one.value);
  if (isBeside) return <NamesBeside {...levels} baselines={sorted} />;
  const marks = [...levels.marks];
  return (
    <g class="trend-names" aria-hidden="true">
      {sorted.map(({ run, value }) => {
        const text = `${shortTitle(run, 24)} ${format(value)}`;
        const width = text.length * letterWidth;
        const places = [-5, 13].flatMap((below) => [
          { x: from + 4, y: y(value) + below, anchor: "start", left: from + 4 } as const,
          { x: to, y: y(value) + below, anchor: "end", left: to - width } as const,
        ]);
        const covered = ({ left, y: bottom }: (typeof places)[number]) =>
          marks.filter((mark) => {
            const isBeside = mark.x < left - 4 || mark.x > left + width + 4;
            return !isBeside && mark.bottom > bottom - 10 && mark.top < bottom + 3;
          }).length;
        const [place] = places.toSorted((one, other) => covered(one) - covered(other));
        if (!place) return null;
        // The names that follow keep off this one.
        for (let x = place.left; x < place.left + width; x += letterWidth)
          marks.push({ x, top: place.y - 10, bottom: place.y + 3 });
        return (
          <text key={run.id} class="chart-tick trend-value" x={place.x} y={place.y} text-anchor={place.anchor}>
            {text}
          </text>
        );
      })}
    </g>
  );
}

/** `baselines` from the highest to the lowest. */
function NamesBeside({ baselines, y, to, format }: Levels): JSX.Element {
  let lowest = -Infinity;
  const names = baselines.map(({ run, value }) => {
    lowest = Math.max(y(value) + 4, lowest + labelHeight);
    return { run, value, at: lowest };
  });
  return (
    <g class="trend-names" aria-hidden="true">
      {names.map(({ run, value, at }) => (
        <text key={run.id} class="chart-tick trend-value" x={to + 6} y={at}>
          {`${shortTitle(run, 15)} ${format(value)}`}
        </text>
      ))}
    </g>
  );
}

function shortTitle(run: Trend["baselines"][number]["run"], maxLength: number): string {
  const title = runTitle(run);
  return title.length > maxLength ? `${title.slice(0, maxLength - 1)}…` : title;
}

const labelHeight = 15;
const letterWidth = 6.5;
