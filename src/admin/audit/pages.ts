import { setImmediate as nextTurn } from "node:timers/promises";
import type { LogLine, Logs } from "../../store/store.ts";
import { auditLog } from "./chain.ts";

/** The lines from the oldest on, page by page, with a turn for everyone else between pages. */
export async function* oldestFirst(store: Logs, after?: number): AsyncGenerator<readonly LogLine[]> {
  let page = await store.read(auditLog, after === undefined ? { limit: pageSize } : { after, limit: pageSize });
  for (let last = page.at(-1); last; last = page.at(-1)) {
    yield page;
    await nextTurn();
    page = await store.read(auditLog, { after: last.sequence, limit: pageSize });
  }
}

/** The same from the newest on, or from the one before a sequence number. */
export async function* newestFirst(store: Logs, before?: number): AsyncGenerator<readonly LogLine[]> {
  let end = before ?? ((await store.last(auditLog))?.sequence ?? 0) + 1;
  while (end > 1) {
    const after = Math.max(0, end - 1 - pageSize);
    const page = await store.read(auditLog, { after, limit: end - 1 - after });
    // Where lines are missing, a page goes past its end.
    yield page.filter(({ sequence }) => sequence < end).reverse();
    await nextTurn();
    end = after + 1;
  }
}

const pageSize = 1000;
