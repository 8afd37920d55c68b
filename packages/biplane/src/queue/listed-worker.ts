import { randomUUID } from "node:crypto";
import { addProcess, removeProcess, renewProcess } from "../fleet/processes.ts";
import type { ProcessLoad } from "../fleet/processes.ts";
import type { SqlStore } from "../store/sql-store.ts";

/** A worker in the list of the processes that use a database, so that the fleet can be seen. */
export class ListedWorker implements AsyncDisposable {
  readonly #store: SqlStore;
  readonly #facts: { readonly name: string; readonly version: string };
  #id = "";

  constructor(store: SqlStore, facts: { readonly name: string; readonly version: string }) {
    this.#store = store;
    this.#facts = facts;
  }

  /** Says that the worker runs. If it was given up meanwhile, it is a new process for the others. */
  readonly announce = async (load: ProcessLoad): Promise<void> => {
    if (this.#id !== "" && (await renewProcess(this.#store, this.#id, load))) return;
    const id = randomUUID();
    await addProcess(this.#store, { id, kind: "worker", ...this.#facts, address: null, load });
    this.#id = id;
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await removeProcess(this.#store, this.#id).catch(() => undefined); // it is given up soon
  }
}
