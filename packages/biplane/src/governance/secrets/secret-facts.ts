import type { SqlStore } from "../../store/sql-store.ts";

/** When secrets were last used, and after how many days they should be replaced. */
export class SecretFacts {
  readonly #store: SqlStore;
  readonly #now: () => number;
  #stored = new Map<string, { readonly usedAt: number | null; readonly rotateDays: number | null }>();
  readonly #used = new Map<string, number>();

  constructor(store: SqlStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  use(name: string): void {
    this.#used.set(name, this.#now());
  }

  setRotation(name: string, rotateDays: number | null): void {
    this.#stored.set(name, { usedAt: this.#stored.get(name)?.usedAt ?? null, rotateDays });
  }

  of(name: string): { lastUsedAt?: string; rotateDays?: number } {
    const { usedAt, rotateDays } = this.#stored.get(name) ?? { usedAt: null, rotateDays: null };
    const at = Math.max(usedAt ?? 0, this.#used.get(name) ?? 0);
    return {
      ...(at > 0 && { lastUsedAt: new Date(at).toISOString() }),
      ...(rotateDays !== null && { rotateDays }),
    };
  }

  /** Writes uses, and reads those of other processes. */
  async exchange(): Promise<void> {
    const { db } = this.#store;
    for (const [name, at] of this.#used)
      // Not worth a write on every use.
      if (at - (this.#stored.get(name)?.usedAt ?? 0) >= usedEveryMs)
        await db.updateTable("secrets").set({ used_at: at }).where("name", "=", name).execute();
    const rows = await db.selectFrom("secrets").select(["name", "used_at", "rotate_days"]).execute();
    this.#stored = new Map(
      rows.map(({ name, used_at, rotate_days }) => [name, { usedAt: used_at, rotateDays: rotate_days }]),
    );
  }
}

const usedEveryMs = 30_000;
