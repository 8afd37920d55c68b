import type { OutcomeCounts } from "../../../packages/biplane/src/admin/calls/outcome-count.ts";

/** Counts of calls, as the API has them. */
export type FailureCounts = OutcomeCounts;

/** The kinds of calls that did not run to their end. Views use these words only. */
export const failureKinds = [
  { kind: "denied", title: "Denied", tone: "warn" },
  { kind: "asked", title: "Asked", tone: "info" },
  { kind: "invalid", title: "Invalid", tone: "bad" },
  { kind: "errors", title: "Errors", tone: "bad" },
] as const;

/** Denied, invalid and errors together. Calls that asked are waiting, and are none of these. */
export const deniedOrFailed = "denied, invalid or error";

type FailureKind = (typeof failureKinds)[number]["kind"];

/** The failed calls by kind, each counted once. */
export function failuresOf({ failed, refused, asked, invalid }: FailureCounts): Readonly<Record<FailureKind, number>> {
  const errors = Math.max(0, failed - refused - invalid);
  return { denied: Math.max(0, refused - asked), asked, invalid, errors };
}

/** The kinds that occurred, as text: `2.5% denied`. */
export function failureTexts(counts: FailureCounts): readonly FailureText[] {
  const numbers = failuresOf(counts);
  return failureKinds
    .filter(({ kind }) => numbers[kind] > 0)
    .map(({ kind, tone }) => ({
      text: `${shareText(numbers[kind], counts.calls)} ${kind}`,
      number: numbers[kind],
      tone,
    }));
}

interface FailureText {
  readonly text: string;
  readonly number: number;
  readonly tone: string;
}

/** Most agents make some mistakes. Only a share that is worth a look has a colour. */
export function isUnusual(number: number, of: number): boolean {
  return number >= of * 0.05;
}

/** `2.5%`. Always with one decimal, so that shares below each other are aligned. */
export function shareText(number: number, of: number): string {
  return number === of ? "100%" : `${((number / of) * 100).toFixed(1)}%`;
}

interface Second {
  readonly calls: number;
  /** With the calls that asked. */
  readonly errors: number;
  readonly asked: number;
}

/** The calls of a second that were denied, invalid or ran into an error. */
export function failedIn({ errors, asked }: Second): number {
  return Math.max(0, errors - asked);
}

/** The numbers of each five seconds of the last minute, oldest first. Single seconds with a call or none show no trend. */
export function fiveSecondSums(minute: readonly Second[], number: (second: Second) => number): readonly number[] {
  const numbers = [...Array.from({ length: Math.max(0, 60 - minute.length) }, () => 0), ...minute.map(number)].slice(
    -60,
  );
  return Array.from({ length: 12 }, (_, at) => numbers.slice(at * 5, at * 5 + 5).reduce((sum, each) => sum + each, 0));
}

export function sumOf(minute: readonly Second[], number: (second: Second) => number): number {
  return minute.reduce((sum, second) => sum + number(second), 0);
}
