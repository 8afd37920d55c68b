import { createRedactor } from "@biplane/core/internal";
import type { Redactor } from "@biplane/core/internal";
import { changesRow } from "../../store/change-rows.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import { environmentSecrets } from "./environment-secrets.ts";
import { checkKey } from "./key.ts";
import { SecretFacts } from "./secret-facts.ts";
import { checkSecretName, checkSecretValue } from "./rules.ts";
import { seal, type StoredSecret } from "./sealed.ts";
import { storedSecrets } from "./stored-secrets.ts";

/** A server's secrets: encrypted in its store, or from its environment, which takes precedence. */
export interface Secrets {
  /** Durable when the promise resolves. `rotateDays`: when it should be replaced; it stays as it is if undefined. */
  set(name: string, value: string, options?: { rotateDays?: number | null | undefined }): Promise<void>;
  /** True if the store had one to delete. A secret from the environment stays. */
  delete(name: string): Promise<boolean>;
  names(): SecretName[];
  /** For use inside the process only. No endpoint may return it. It counts as a use. */
  get(name: string): string | undefined;
  /** The same without counting as a use, for checks. */
  peek(name: string): string | undefined;
  /**
   * Redacts every value, including those replaced or deleted since the start: calls that are still running may hold
   * them. Returns a new object after each change.
   */
  redactor(): Redactor;
  /** Subscribes to changes. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void;
  /** Reads the store again, to pick up changes of other processes. */
  reload(): Promise<void>;
}

export interface SecretName {
  readonly name: string;
  readonly source: "store" | "environment";
  readonly updatedAt?: string;
  readonly lastUsedAt?: string;
  /** After how many days the value should be replaced. */
  readonly rotateDays?: number;
}

export interface SecretsOptions {
  readonly store: SqlStore;
  /** 32 bytes, from `readKey`. */
  readonly key: Uint8Array;
  /** Source of `BIPLANE_SECRET_<NAME>` variables, read once (default: `process.env`). */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly now?: () => Date;
}

/** Opens the secrets in a store, encrypted with the key. */
export async function openSecrets(options: SecretsOptions): Promise<Secrets> {
  const { store, environment = process.env, now = () => new Date() } = options;
  const key = checkKey(options.key);
  const given = environmentSecrets(environment);
  let stored = await storedSecrets(store, key);
  const facts = new SecretFacts(store, () => now().getTime());
  await facts.exchange();
  let retired: { name: string; value: string }[] = [];
  let redactor: Redactor | undefined;
  const listeners = new Set<() => void>();

  // Serialize changes, so that memory and store agree on the last one.
  let last: Promise<unknown> = Promise.resolve();
  const serialized = <T>(change: () => Promise<T>): Promise<T> => {
    const done = last.then(change);
    last = done.catch(() => undefined);
    return done;
  };

  function replaceStored(next: ReadonlyMap<string, StoredSecret>): void {
    const gone = [...stored].filter(([name, { value }]) => next.get(name)?.value !== value);
    const isSame =
      gone.length === 0 && [...next].every(([name, { updatedAt }]) => stored.get(name)?.updatedAt === updatedAt);
    if (isSame) return;
    retired = [...retired, ...gone.map(([name, { value }]) => ({ name, value }))].slice(-maxRetired);
    stored = next;
    redactor = undefined;
    for (const listener of listeners) listener();
  }

  return {
    async set(name, value, { rotateDays } = {}) {
      checkSecretName(name);
      checkSecretValue(name, value);
      await serialized(async () => {
        const updatedAt = now().toISOString();
        const sealed = JSON.stringify(seal({ name, value, updatedAt }, key));
        await store.db
          .insertInto("secrets")
          .values({ name, sealed, used_at: null, rotate_days: rotateDays ?? null })
          .onConflict((conflict) =>
            conflict
              .column("name")
              .doUpdateSet({ sealed, ...(rotateDays !== undefined && { rotate_days: rotateDays }) }),
          )
          .execute();
        if (rotateDays !== undefined) facts.setRotation(name, rotateDays);
        replaceStored(new Map(stored).set(name, { value, updatedAt }));
      });
    },
    delete: async (name) => {
      checkSecretName(name);
      return serialized(async () => {
        const isDeleted = await changesRow(store.db.deleteFrom("secrets").where("name", "=", name));
        replaceStored(new Map([...stored].filter(([other]) => other !== name)));
        return isDeleted;
      });
    },
    names() {
      const fromStore = [...stored].filter(([name]) => !given.has(name));
      const all: SecretName[] = [
        ...fromStore.map(([name, { updatedAt }]) => ({
          name,
          source: "store" as const,
          updatedAt,
          ...facts.of(name),
        })),
        ...[...given.keys()].map((name) => ({ name, source: "environment" as const, ...facts.of(name) })),
      ];
      return all.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    get(name) {
      const value = given.get(name) ?? stored.get(name)?.value;
      if (value !== undefined) facts.use(name);
      return value;
    },
    peek: (name) => given.get(name) ?? stored.get(name)?.value,
    redactor() {
      // Requested on every call, rebuilt only after a change.
      return (redactor ??= createRedactor([
        ...Array.from(given, ([name, value]) => ({ name, value })),
        ...Array.from(stored, ([name, { value }]) => ({ name, value })),
        ...retired,
      ]));
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    reload: async () =>
      serialized(async () => {
        replaceStored(await storedSecrets(store, key));
        await facts.exchange();
      }),
  };
}

/** Bounds memory when a secret is renewed often. */
const maxRetired = 100;
