import type { Subject } from "../mcp/subject.ts";

/** How much is measured. */
export interface Amount {
  readonly isQuick: boolean;
}

/** One figure for each round. */
export interface Figures {
  /** CPU microseconds of the server for each request. */
  readonly cpu: readonly number[];
  readonly perSecond: readonly number[];
}

export function figuresOf({ rounds, rates }: Pick<Subject, "rounds" | "rates">): Figures {
  return { cpu: rounded(rounds, 2), perSecond: rounded(rates, 0) };
}

export function rounded(figures: readonly number[], digits: number): number[] {
  return figures.map((figure) => Number(figure.toFixed(digits)));
}

/** A peer that could not be measured here, and why. */
export interface AbsentPeer {
  readonly name: string;
  readonly era?: string;
  readonly why: string;
}
