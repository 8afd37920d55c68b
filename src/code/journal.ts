import { randomUUID } from "node:crypto";
import type { LiveCall } from "../call/live-call.ts";
import { messageOf } from "../errors.ts";
import type { Store } from "../store/store.ts";
import type { Principal } from "../tool/call.ts";
import type { InnerCall } from "./action.ts";

/** An action that ended with its process: what it was, and what it had done by then. */
export interface LostAction {
  readonly language: string;
  readonly code: string;
  readonly startedAt: string;
  readonly calls: readonly InnerCall[];
}

/** One action in the journal. */
export interface JournalEntry {
  /** From now on the store knows of it. */
  keep(): Promise<void>;
  note(calls: readonly InnerCall[]): void;
  end(): Promise<void>;
}

/**
 * Remembers actions that take long, in a store that outlives the process, so that an agent whose code was lost is told
 * what it had already done. Short ones leave no trace: writing costs more than they do.
 */
export class Journal {
  readonly #store: Store;
  readonly #report: (fault: unknown) => void;
  readonly #run = randomUUID();

  constructor(store: Store, report: (fault: unknown) => void) {
    this.#store = store;
    this.#report = report;
  }

  begin(language: string, code: string, { principal, redactor }: LiveCall): JournalEntry {
    const key = randomUUID();
    const startedAt = new Date().toISOString();
    const head = { language, code: code.slice(0, 4000), startedAt, owner: ownerOf(principal), ...this.#process() };
    let calls: readonly InnerCall[] = [];
    let writing: Promise<unknown> | undefined;
    let isQueued = false;
    const put = () => {
      isQueued = false;
      const record = { ...head, calls: calls.slice(-100) };
      return this.#store.put(collection, key, redactor?.value(record) ?? record);
    };
    const write = () => {
      if (isQueued) return writing;
      isQueued = true;
      writing = (writing ?? Promise.resolve()).then(put).catch(this.#report);
      return writing;
    };
    const timer = setTimeout(() => void write(), longMs);
    timer.unref();
    return {
      keep: async () => {
        await write();
      },
      note: (made) => {
        calls = made;
        if (writing) void write();
      },
      end: async () => {
        clearTimeout(timer);
        await writing;
        if (writing) await this.#store.delete(collection, key).catch(this.#report);
      },
    };
  }

  /** Tells a caller once of its actions that ended with another process. */
  async lost(principal: Principal): Promise<readonly LostAction[]> {
    const owner = ownerOf(principal);
    const found: LostAction[] = [];
    for (const [key, record] of await this.#store.list(collection, { limit: 1000 })) {
      if (record["owner"] !== owner || !this.#isGone(record)) continue;
      if (!(await this.#store.delete(collection, key))) continue;
      const { language, code, startedAt, calls } = record as unknown as LostAction;
      found.push({ language, code, startedAt, calls });
    }
    return found;
  }

  #process(): { run: string; pid: number } {
    return { run: this.#run, pid: process.pid };
  }

  #isGone({ run, pid }: Readonly<Record<string, unknown>>): boolean {
    if (run === this.#run) return false;
    return pid === process.pid || !isAlive(Number(pid));
  }
}

const collection = "code-actions";

/** From when on an action is worth remembering even if it waits for nobody. */
const longMs = 1000;

function ownerOf({ kind, id }: Principal): string {
  return `${kind} ${id}`;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return messageOf(error).includes("EPERM");
  }
}
