import type { AuditLog } from "../../store/audit-log.ts";
import { verifyAuditPart } from "./verify.ts";
import type { AuditCheck } from "./verify.ts";

/** The last check of the whole log. */
export interface FinishedCheck {
  /** ISO 8601. */
  readonly at: string;
  readonly ok: boolean;
  /** Entries that were right. */
  readonly lines: number;
  readonly why: string | null;
}

/**
 * Checks the log in parts, and remembers the last check of all of it in this process. A check counts only if each of
 * its parts began where a part before it had ended, because callers choose where a part begins.
 */
export class AuditChecks {
  readonly #store: { readonly audit: AuditLog };
  readonly #now: () => number;
  /** Where checks that began at the start have got to. */
  readonly #reached = new Set<string>();
  #last: FinishedCheck | undefined;

  constructor(store: { readonly audit: AuditLog }, now: () => number = Date.now) {
    this.#store = store;
    this.#now = now;
  }

  get last(): FinishedCheck | undefined {
    return this.#last;
  }

  async next(from: { after?: number; head?: string }): Promise<AuditCheck> {
    const part = await verifyAuditPart(this.#store, from);
    const isStart = from.after === undefined || from.head === undefined;
    if (!isStart && !this.#reached.has(keyOf(from.after, from.head))) return part;
    if (part.next === null) {
      const { ok, lines, why } = part;
      this.#last = { at: new Date(this.#now()).toISOString(), ok, lines, why };
      return part;
    }
    if (this.#reached.size >= maxReached) this.#reached.clear();
    this.#reached.add(keyOf(part.next, part.head));
    return part;
  }
}

function keyOf(after: number | undefined, head: string | undefined): string {
  return `${after} ${head}`;
}

/** Checks that go on at the same time, or were given up. */
const maxReached = 1000;
