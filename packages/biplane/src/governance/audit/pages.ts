import { setImmediate as nextTurn } from "node:timers/promises";
import type { AuditLog, LogLine } from "../../store/audit-log.ts";

/** Yields pages from the oldest line on, and yields to the event loop between pages. */
export async function* oldestFirst(log: AuditLog, after?: number): AsyncGenerator<readonly LogLine[]> {
  let page = await log.read({ after, limit: pageSize });
  for (let last = page.at(-1); last; last = page.at(-1)) {
    yield page;
    await nextTurn();
    page = await log.read({ after: last.sequence, limit: pageSize });
  }
}

/** Yields pages from the newest line on, or from the line before a sequence number. */
export async function* newestFirst(log: AuditLog, before?: number): AsyncGenerator<readonly LogLine[]> {
  let end = before ?? ((await log.last())?.sequence ?? 0) + 1;
  const start = (await log.cuts()).at(-1)?.through ?? 0;
  while (end > start + 1) {
    const after = Math.max(start, end - 1 - pageSize);
    const page = await log.read({ after, limit: end - 1 - after });
    // If lines are missing, a page reaches past its end.
    yield page.filter(({ sequence }) => sequence < end).reverse();
    await nextTurn();
    end = after + 1;
  }
}

const pageSize = 1000;
