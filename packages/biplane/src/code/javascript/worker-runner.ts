import { BiplaneError } from "@biplane/core";
import type { CodeHost } from "../engine.ts";
import { codeTurns } from "../code-shares.ts";
import { CallerTurns } from "../caller-turns.ts";
import type { CallerTurn } from "../caller-turns.ts";
import type { FinishedAction, ContextState, ActionRunner } from "./context.ts";
import type { ToolBindings } from "./engine.ts";
import { WorkerAction } from "./worker-action.ts";
import { JavascriptWorker } from "./javascript-worker.ts";

/**
 * Runs actions in workers, one action per worker at a time. An action that waits long is parked, so that it holds no
 * worker.
 */
export class WorkerRunner implements ActionRunner {
  readonly #turns: CallerTurns;
  readonly #idle: JavascriptWorker[] = [];
  readonly #busy = new Map<JavascriptWorker, CallerTurn>();
  readonly #numbers = new WeakMap<ContextState | ToolBindings, number>();
  readonly #actions = new Set<WorkerAction>();
  #count = 0;
  #isClosed = false;

  constructor(maxWorkers?: number) {
    this.#turns = maxWorkers === undefined ? codeTurns : new CallerTurns(maxWorkers);
  }

  /** True while actions wait for a worker. */
  get hasQueue(): boolean {
    return this.#turns.hasQueue;
  }

  async run(state: ContextState, code: string, host: CodeHost): Promise<FinishedAction> {
    const action = new WorkerAction(this, {
      action: ++this.#count,
      context: this.#numberOf(state),
      bindings: this.#numberOf(state.bindings),
      state,
      host,
    });
    this.#actions.add(action);
    try {
      return await action.run(code);
    } finally {
      this.#actions.delete(action);
    }
  }

  /** Waits for the caller's turn and reserves a worker. Prefers the one that already holds the context's machine. */
  async acquire(context: number, caller: string | undefined, signal: AbortSignal): Promise<JavascriptWorker> {
    const turn = await this.#turns.take(caller, signal);
    if (this.#isClosed) {
      turn.release();
      throw new BiplaneError("CANCELLED", "The JavaScript engine was closed.");
    }
    const at = this.#idle.findIndex((worker) => worker.has(context));
    const [worker = new JavascriptWorker()] = this.#idle.splice(Math.max(0, at), 1);
    this.#busy.set(worker, turn);
    return worker;
  }

  /** Returns a worker. A dead one is replaced now, so that the next action, which may be another caller's, need not wait. */
  release(worker: JavascriptWorker): void {
    const turn = this.#busy.get(worker);
    this.#busy.delete(worker);
    worker.release();
    if (!this.#isClosed) this.#idle.push(worker.isAlive ? worker : new JavascriptWorker());
    turn?.release();
  }

  /** Drops the machines of a context in all workers but one, because they are out of date. */
  dropOtherCopies(context: number, owner: JavascriptWorker | undefined): void {
    for (const worker of [...this.#idle, ...this.#busy.keys()]) if (worker !== owner) worker.forget(context);
  }

  forget(state: ContextState): void {
    this.dropOtherCopies(this.#numberOf(state), undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const workers = [...this.#idle.splice(0), ...this.#busy.keys()];
    for (const action of this.#actions) action.stop();
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  #numberOf(thing: ContextState | ToolBindings): number {
    const known = this.#numbers.get(thing);
    if (known !== undefined) return known;
    this.#numbers.set(thing, ++this.#count);
    return this.#count;
  }
}
