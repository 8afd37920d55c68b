// A clock for this whole process that can be set back and moved on, so that a few seconds of work look like days.
// Import it before everything else: it replaces Date and performance.now.

import { setTimeout as wait } from "node:timers/promises";

const RealDate = Date;
const realElapsed = performance.now.bind(performance);
let offset = 0;
let skipped = 0;

/** Goes to a time, such as three days ago: `goTo(Date.now() - 3 * day)`. Only `elapsed` times never go back. */
export function goTo(time: number): void {
  const by = time - Date.now();
  offset += by;
  skipped += Math.max(0, by);
}

/** Lets time pass. */
export function pass(ms: number): void {
  goTo(Date.now() + ms);
}

/** Returns to the real time. */
export function catchUp(): void {
  goTo(RealDate.now());
  offset = 0;
}

/** What takes so long takes no time while the clock is set back. */
export async function takes(ms: number): Promise<void> {
  if (offset === 0) await wait(ms);
  else pass(ms);
}

export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

class ShiftedDate extends RealDate {
  constructor(...given: [] | [number | string | Date]) {
    if (given.length === 0) super(RealDate.now() + offset);
    else super(...given);
  }

  static override now(): number {
    return RealDate.now() + offset;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
performance.now = () => realElapsed() + skipped;
