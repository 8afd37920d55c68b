import { matcherOf } from "./call-filter.ts";
import type { CallFilter } from "./call-filter.ts";
import type { CallLog } from "./call-log.ts";
import { shownCall } from "./calls.ts";
import type { LiveEvents } from "./contract.ts";

/**
 * Takes a sample of the calls since it was last asked, and at first of those that are not older than `recentMs`: the
 * newest few, in the order in which they ended. Calls cost nothing more for being watched, however many watch.
 */
export function callSampler(
  log: CallLog,
  filter: CallFilter,
  recentMs: number,
): (most: number) => LiveEvents["calls"] | undefined {
  const fits = matcherOf(filter);
  let position = log.position;
  let from = log.positionAt(recentMs);
  return (most) => {
    if (log.position === from) return undefined;
    const { calls } = log.since(from, fits, most);
    const { skipped } = log.since(position, fits, most);
    from = position = log.position;
    if (calls.length === 0 && skipped === 0) return undefined;
    return { calls: calls.reverse().map(shownCall), skipped };
  };
}
