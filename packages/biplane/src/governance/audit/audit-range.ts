import type { AuditLog, LogLine } from "../../store/audit-log.ts";

/** Sequence numbers: from `first` to `last`, both included. */
export interface AuditRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The lines of a time range, in milliseconds since 1970. Lines are in the order in which they were written, so the ends
 * are found by bisection: some twenty reads, however long the log is.
 */
export async function auditRange(
  log: AuditLog,
  { since, until }: { since?: number | undefined; until?: number | undefined },
): Promise<AuditRange | undefined> {
  if (since === undefined && until === undefined) return undefined;
  const [oldest] = await log.read({ limit: 1 });
  const newest = await log.last();
  if (!oldest || !newest) return { first: 1, last: 0 };
  const bounds = { first: oldest.sequence, last: newest.sequence };
  return {
    first: since === undefined ? bounds.first : await firstFrom(log, since, bounds),
    last: until === undefined ? bounds.last : (await firstFrom(log, until, bounds)) - 1,
  };
}

/** The first line at or after a time, or the number after the last one. */
async function firstFrom(log: AuditLog, time: number, { first, last }: AuditRange): Promise<number> {
  let [low, high] = [first, last + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [line] = await log.read({ after: middle - 1, limit: 1 });
    if (line !== undefined && timeIn(line) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Most lines have the time near their start. A line that cannot be read counts as early. */
function timeIn({ line }: LogLine): number {
  const time = Date.parse(/"time":"([^"]{1,40})"/.exec(line.slice(0, 200))?.[1] ?? "");
  return Number.isNaN(time) ? 0 : time;
}
