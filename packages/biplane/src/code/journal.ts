import { randomUUID } from "node:crypto";
import type { LiveCall, ServerCore } from "@biplane/core/internal";
import { messageOf } from "@biplane/core/internal";
import type { Principal, Store } from "@biplane/core";
import type { InnerCall } from "./action.ts";

/** An action that a process crash or restart ended, with the calls it had made. */
export interface LostAction {
  readonly language: string;
  readonly code: string;
  readonly startedAt: string;
  readonly calls: readonly InnerCall[];
}

export type JournalEntry = ReturnType<Journal["begin"]>;

/**
 * Records long actions in the store. After a crash, the agent learns which calls its code had already made. Short
 * actions are not recorded, because the write costs more than they do.
 */
export class Journal {
  readonly #store: Store;
  readonly #server: ServerCore;

  constructor(store: Store, server: ServerCore) {
    this.#store = store;
    this.#server = server;
  }

  readonly #report = (fault: unknown): void => this.#server.report(fault, "writing the code journal");

  begin(language: string, code: string, { principal, redactor }: LiveCall) {
    const key = randomUUID();
    const startedAt = new Date().toISOString();
    const head = {
      language,
      code: (redactor?.text(code) ?? code).slice(0, 4000),
      startedAt,
      owner: ownerOf(principal),
      run: this.#server.process,
      pid: process.pid,
    };
    let calls: readonly InnerCall[] = [];
    let writing: Promise<unknown> | undefined;
    let timer: NodeJS.Timeout | undefined;
    const put = () => {
      const record = { ...head, calls: calls.slice(-100) };
      return this.#store.put(collection, key, redactor?.value(record) ?? record);
    };
    const write = () => {
      clearTimeout(timer);
      timer = undefined;
      return (writing = (writing ?? Promise.resolve()).then(put).catch(this.#report));
    };
    const writeLater = () => {
      timer ??= setTimeout(() => void write(), recordAfterMs).unref();
    };
    writeLater();
    return {
      /** Writes the action to the store now. */
      keep: async () => {
        await write();
      },
      note: (made: readonly InnerCall[]) => {
        calls = made;
        writeLater();
      },
      end: async () => {
        clearTimeout(timer);
        await writing;
        if (writing) await this.#store.delete(collection, key).catch(this.#report);
      },
    };
  }

  /** Returns the caller's actions that ended with another process, and deletes their records. */
  async lost(principal: Principal): Promise<readonly LostAction[]> {
    const owner = ownerOf(principal);
    const found: LostAction[] = [];
    for (const [key, record] of await this.#store.list(collection, { limit: 1000 })) {
      if (record["owner"] !== owner || !(await this.#isGone(record))) continue;
      if (!(await this.#store.delete(collection, key))) continue;
      const { language, code, startedAt, calls } = record as unknown as LostAction;
      found.push({ language, code, startedAt, calls });
    }
    return found;
  }

  /** Without a fleet, other processes that use the store are on this machine. */
  async #isGone({ run, pid }: Readonly<Record<string, unknown>>): Promise<boolean> {
    if (await this.#server.isRunning(String(run))) return false;
    return this.#server.fleet !== undefined || pid === process.pid || !isAlive(Number(pid));
  }
}

const collection = "code-actions";

/** Actions that run longer than this are recorded, and at most this often: each write waits for the disk. */
const recordAfterMs = 1000;

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
