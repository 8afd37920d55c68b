import { setImmediate as nextTurn } from "node:timers/promises";
import type { AuditLog, AuditRead, LogLine } from "../../store/audit-log.ts";

/** Yields the first page, then further ones of 1000 lines, and yields to the event loop between them. */
export async function* auditPages(log: AuditLog, first: AuditRead = {}): AsyncGenerator<readonly LogLine[]> {
  const { limit: _, ...rest } = first;
  let page = await log.read(first);
  for (let last = page.at(-1); last; last = page.at(-1)) {
    yield page;
    await nextTurn();
    page = await log.read({ ...rest, after: last.sequence });
  }
}
