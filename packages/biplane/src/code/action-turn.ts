import type { Share } from "@biplane/core/internal";
import type { CallerTurn, CallerTurns } from "./caller-turns.ts";

export interface ActionTurnOptions {
  readonly turns: CallerTurns;
  readonly caller: string | undefined;
  readonly signal: AbortSignal;
  /** An empty share of what the caller keeps. */
  readonly share: Share;
  /** What a worker that waits costs the caller. */
  readonly workerBytes: number;
}

/**
 * The turn of an action whose worker cannot be parked. While the action waits long for its host, others compute in its
 * place, and its caller is charged for the worker that waits. If that is more than the caller can keep, it keeps its
 * turn instead.
 */
export class ActionTurn {
  readonly #options: ActionTurnOptions;
  #turn: CallerTurn | undefined;
  #isOver = false;

  constructor(options: ActionTurnOptions) {
    this.#options = options;
  }

  /** Waits for the turn. Rejects with the reason of the signal. */
  async begin(): Promise<void> {
    const { turns, caller, signal, share } = this.#options;
    const turn = await turns.take(caller, signal);
    share.release();
    if (this.#isOver) turn.release();
    else this.#turn = turn;
  }

  /** Waits for an answer of the host. */
  async whileAway<T>(answer: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#leave(), awayAfterMs);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      if (!this.#turn && !this.#isOver) await this.begin();
    }
  }

  end(): void {
    this.#isOver = true;
    this.#turn?.release();
    this.#options.share.release();
  }

  #leave(): void {
    const { share, workerBytes } = this.#options;
    if (this.#isOver || share.resize(workerBytes)) return;
    this.#turn?.release();
    this.#turn = undefined;
  }
}

const awayAfterMs = 50;
