import { matcherOf } from "./call-filter.ts";
import type { CallFilter } from "./call-filter.ts";
import type { CallLog } from "./call-log.ts";
import { shownCall } from "./calls.ts";
import type { LiveEvents } from "./contract.ts";

/**
 * Takes a sample of the calls since it was last asked: the newest few, in the order in which they ended. Calls cost
 * nothing more for being watched, however many watch.
 */
export function callSampler(log: CallLog, filter: CallFilter): (most: number) => LiveEvents["calls"] | undefined {
  const fits = matcherOf(filter);
  let position = log.position;
  return (most) => {
    if (log.position === position) return undefined;
    const { calls, skipped } = log.since(position, fits, most);
    position = log.position;
    if (calls.length === 0 && skipped === 0) return undefined;
    return { calls: calls.reverse().map(shownCall), skipped };
  };
}
