import { isDeepStrictEqual } from "node:util";
import { noJsonLimits, tryParseJson } from "@biplane/core/internal";

/** The first difference between a playback and its recording. */
export interface Divergence {
  readonly step: number;
  readonly what: "prompt" | "observation" | "reward" | "terminated" | "truncated" | "ending" | "tool_call";
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Formats a divergence, with a line for each difference. */
export function showDivergence({ step, what, expected, actual }: Divergence): string {
  const where = step < 0 ? "before the first step" : `at step ${step}`;
  const lines = differences(readable(expected), readable(actual), what);
  return [`The playback differs ${where}: ${what}`, ...lines.slice(0, maxLines), ...more(lines.length)].join("\n");
}

/** Compares two texts, as JSON if they parse. */
export function sameText(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(readable(one), readable(other));
}

const maxLines = 20;

function more(count: number): string[] {
  return count > maxLines ? [`  … and ${count - maxLines} more`] : [];
}

function readable(value: unknown): unknown {
  return typeof value === "string" ? tryParseJson(value, { otherwise: value, limits: noJsonLimits }) : value;
}

function differences(expected: unknown, actual: unknown, path: string): string[] {
  if (isDeepStrictEqual(expected, actual)) return [];
  if (isContainer(expected) && isContainer(actual)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return Array.from(keys).flatMap((key) => differences(expected[key], actual[key], `${path}.${key}`));
  }
  if (typeof expected === "string" && typeof actual === "string" && (expected + actual).includes("\n"))
    return [`  ${path}:`, ...lineDifferences(expected.split("\n"), actual.split("\n"))];
  return [`  ${path}:`, `    - ${show(expected)}`, `    + ${show(actual)}`];
}

function lineDifferences(expected: readonly string[], actual: readonly string[]): string[] {
  return Array.from({ length: Math.max(expected.length, actual.length) }, (_, at) => at).flatMap((at) => {
    const [one, other] = [expected[at], actual[at]];
    if (one === other) return [];
    return [
      ...(one === undefined ? [] : [`    - ${show(one)}`]),
      ...(other === undefined ? [] : [`    + ${show(other)}`]),
    ];
  });
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function show(value: unknown): string {
  return value === undefined ? "(nothing)" : JSON.stringify(value);
}
