import type { JSX } from "preact";
import type { RunSummary } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import type { Tone } from "../../components/badge.tsx";
import { linear, tickLabel, ticks } from "../../components/chart/scale.ts";
import { useWidth } from "../../components/chart/use-width.ts";
import { Text } from "../../components/text.tsx";
import { percent, plural, precise, relative } from "../../format.ts";
import { href } from "../../router.ts";
import { modelLabel, runTitle } from "./run-name.tsx";
import { dollars } from "./run-status.tsx";

export type Measure = "reward" | "pass" | "score" | "cost";

interface MeasureFacts {
  readonly title: string;
  readonly valueOf: (run: RunSummary) => number | null;
  readonly errorOf: (run: RunSummary) => number | null;
  readonly format: (value: number) => string;
}

export const measures: Readonly<Record<Measure, MeasureFacts>> = {
  reward: {
    title: "Reward",
    valueOf: (run) => run.meanReward,
    errorOf: (run) => run.standardError,
    format: precise,
  },
  pass: { title: "Pass", valueOf: (run) => run.passRate, errorOf: () => null, format: percent },
  score: {
    title: "Score",
    valueOf: (run) => run.score?.mean ?? null,
    errorOf: (run) => run.score?.standardError ?? null,
    format: precise,
  },
  cost: { title: "Cost", valueOf: (run) => run.cost, errorOf: () => null, format: dollars },
};

interface Point {
  readonly run: RunSummary;
  readonly at: number;
  readonly value: number;
  readonly error: number;
}

/** Runs from left to right, oldest first: a point each, with its standard error, and a line for each model. */
export function TrendChart(props: { readonly runs: readonly RunSummary[]; readonly measure: Measure }): JSX.Element {
  const { runs, measure } = props;
  const [element, width] = useWidth();
  const { valueOf, errorOf, format, title } = measures[measure];
  const points = runs.flatMap((run, at): Point[] => {
    const value = valueOf(run);
    return value === null ? [] : [{ run, at, value, error: errorOf(run) ?? 0 }];
  });
  if (points.length === 0) return <p class="muted">No run has a value yet.</p>;
  const models = [...new Set(points.map(({ run }) => modelLabel(run)))];
  // More models than colours would share them, so that all get one.
  const hasColours = models.length <= tones.length;
  const toneOf = (run: RunSummary) => (hasColours && tones[models.indexOf(modelLabel(run))]) || "accent";
  const yTicks = ticks(
    Math.min(...points.map(({ value, error }) => value - error)),
    Math.max(...points.map(({ value, error }) => value + error)),
  );
  const x = linear([-0.5, Math.max(0.5, runs.length - 0.5)], [left, width - right]);
  const y = linear([yTicks[0] ?? 0, yTicks.at(-1) ?? 1], [height - bottom, top]);
  const every = Math.max(1, Math.ceil(runs.length / Math.max(1, Math.floor(width / 110))));
  return (
    <figure class="chart run-trend">
      <div ref={element} class="chart-box">
        <svg width={width} height={height} role="group" aria-label={`${title} of ${plural(points.length, "run")}`}>
          {yTicks.map((tick) => (
            <g key={tick}>
              <path class="chart-grid" d={`M${left} ${y(tick)}H${width - right}`} />
              <text class="chart-tick" x={left - 8} y={y(tick) + 4} text-anchor="end">
                {measure === "pass" ? percent(tick) : tickLabel(tick, yTicks)}
              </text>
            </g>
          ))}
          {runs.map(
            (run, at) =>
              at % every === 0 && (
                <text key={run.id} class="chart-tick" x={x(at)} y={height - bottom + 18} text-anchor="middle">
                  {pointLabel(run)}
                </text>
              ),
          )}
          {points.length > models.length || (
            <path
              class="trend-order"
              d={`M${points.map((point) => `${x(point.at).toFixed(1)},${y(point.value).toFixed(1)}`).join("L")}`}
            />
          )}
          {models.map((model) => {
            const own = points.filter(({ run }) => modelLabel(run) === model);
            return (
              <path
                key={model}
                class={`chart-line tone-${toneOf((own[0] as Point).run)}`}
                d={`M${own.map((point) => `${x(point.at).toFixed(1)},${y(point.value).toFixed(1)}`).join("L")}`}
              />
            );
          })}
          {points.map(({ run, at, value, error }) => (
            <a
              key={run.id}
              class={`trend-point tone-${toneOf(run)}`}
              href={href("runs", [run.id])}
              aria-label={`${runTitle(run)}, ${modelLabel(run).slice(0, 60)}: ${format(value)}${error > 0 ? ` ± ${format(error)}` : ""}, ${relative(run.startedAt)}`}
            >
              <title>
                {`${runTitle(run)}: ${format(value)}${error > 0 ? ` ± ${format(error)}` : ""}`.slice(0, 200)}
              </title>
              {error > 0 && <path class="trend-error" d={`M${x(at)} ${y(value - error)}V${y(value + error)}`} />}
              <circle class="trend-hit" cx={x(at)} cy={y(value)} r="12" />
              <circle class="trend-dot" cx={x(at)} cy={y(value)} r="4" />
            </a>
          ))}
        </svg>
      </div>
      <figcaption class="chart-caption">
        {hasColours ? (
          models.map((model, at) => (
            <span key={model} class={`tone-${tones[at]}`}>
              <span class="chart-key" aria-hidden="true" /> <Text value={model} maxLength={40} isFixed />
            </span>
          ))
        ) : (
          <span class="muted">{plural(models.length, "model")}</span>
        )}
        <span class="muted grow end">
          {title.toLowerCase()} by run, oldest first
          {measure === "reward" || measure === "score" ? ", ± standard error" : ""}
        </span>
      </figcaption>
    </figure>
  );
}

const tones: readonly Tone[] = ["accent", "good", "info", "warn", "bad"];

/** The name of a run, or when it began: runs of one target without names have the same title. */
function pointLabel({ name, startedAt }: RunSummary): string {
  if (name === null) return relative(startedAt);
  return name.length > 14 ? `${name.slice(0, 13)}…` : name;
}

const height = 200;
const [left, right, top, bottom] = [48, 8, 12, 28];
