import { createRedactor, type Redactor } from "../../call/redact/redactor.ts";
import type { Store } from "../../store/store.ts";
import { environmentSecrets } from "./environment-secrets.ts";
import { checkKey } from "./key.ts";
import { checkName, checkValue } from "./rules.ts";
import { seal, type StoredSecret } from "./sealed.ts";
import { storedSecrets } from "./stored-secrets.ts";

/** The secrets of a server: encrypted in its store, or given by its environment, which goes first. */
export interface Secrets {
  /** Kept for good when the promise resolves. */
  set(name: string, value: string): Promise<void>;
  /** Whether there was one to delete in the store; one from the environment stays. */
  delete(name: string): Promise<boolean>;
  names(): SecretName[];
  /** For the inside of the house only: no door may answer with it. */
  get(name: string): string | undefined;
  /**
   * Hides every value, also those that were replaced or deleted since the start: work that began before may still
   * hold them. Another object after each change.
   */
  redactor(): Redactor;
  /** Called after each change, until the returned function is. */
  onChange(listener: () => void): () => void;
  /** Reads the store again, for changes that another process made. */
  reload(): Promise<void>;
}

export interface SecretName {
  readonly name: string;
  readonly source: "store" | "environment";
  readonly updatedAt?: string;
}

export interface SecretsOptions {
  readonly store: Store;
  /** 32 bytes, as from `readKey`. */
  readonly key: Uint8Array;
  /** Where `BIPLANE_SECRET_<NAME>` is looked for, once. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly now?: () => Date;
}

export async function openSecrets(options: SecretsOptions): Promise<Secrets> {
  const { store, environment = process.env, now = () => new Date() } = options;
  const key = checkKey(options.key);
  const given = environmentSecrets(environment);
  let stored = await storedSecrets(store, key);
  let retired: { name: string; value: string }[] = [];
  let redactor: Redactor | undefined;
  const listeners = new Set<() => void>();

  // One change after the other, so that memory and store agree on which was the last.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(change: () => Promise<T>): Promise<T> => {
    const done = last.then(change);
    last = done.catch(() => undefined);
    return done;
  };

  function replaceStored(next: ReadonlyMap<string, StoredSecret>): void {
    const gone = [...stored].filter(([name, { value }]) => next.get(name)?.value !== value);
    const isSame =
      gone.length === 0 && [...next].every(([name, { updatedAt }]) => stored.get(name)?.updatedAt === updatedAt);
    if (isSame) return;
    retired = [...retired, ...gone.map(([name, { value }]) => ({ name, value }))].slice(-mostRetired);
    stored = next;
    redactor = undefined;
    for (const listener of listeners) listener();
  }

  return {
    async set(name, value) {
      checkName(name);
      checkValue(name, value);
      await inTurn(async () => {
        const updatedAt = now().toISOString();
        await store.put("secrets", name, seal({ name, value, updatedAt }, key));
        replaceStored(new Map(stored).set(name, { value, updatedAt }));
      });
    },
    delete: async (name) => {
      checkName(name);
      return inTurn(async () => {
        const wasThere = await store.delete("secrets", name);
        replaceStored(new Map([...stored].filter(([other]) => other !== name)));
        return wasThere;
      });
    },
    names() {
      const fromStore = [...stored].filter(([name]) => !given.has(name));
      const all: SecretName[] = [
        ...fromStore.map(([name, { updatedAt }]) => ({ name, source: "store" as const, updatedAt })),
        ...[...given.keys()].map((name) => ({ name, source: "environment" as const })),
      ];
      return all.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    get: (name) => given.get(name) ?? stored.get(name)?.value,
    redactor() {
      // Asked for at every call, made only after a change.
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
    reload: async () => inTurn(async () => replaceStored(await storedSecrets(store, key))),
  };
}

/** So that a secret renewed every minute does not fill the memory. */
const mostRetired = 100;
