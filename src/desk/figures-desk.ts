import { Environment } from "../environment/environment.ts";
import type { CallLog } from "./call-log.ts";
import type { Figures } from "./contract.ts";
import type { Served } from "./served.ts";

export interface FigureSources {
  readonly log: CallLog;
  readonly served: readonly Served[];
  /** How many calls wait for a person, whichever process they came to. */
  readonly approvals?: { waiting(): Promise<number> };
  /** How many MCP sessions are open. */
  readonly sessions?: () => number | Promise<number>;
  readonly now?: () => number;
}

/** Reads how the house does. Those who look at the same time share one reading. */
export class FiguresDesk {
  readonly #sources: FigureSources;
  readonly #now: () => number;
  #reading: { readonly at: number; readonly figures: Promise<Figures> } | undefined;

  constructor(sources: FigureSources) {
    this.#sources = sources;
    this.#now = sources.now ?? Date.now;
  }

  read(): Promise<Figures> {
    const at = this.#now();
    if (!this.#reading || Math.abs(at - this.#reading.at) >= freshMs) this.#reading = { at, figures: this.#look(at) };
    return this.#reading.figures;
  }

  async waiting(): Promise<number> {
    return (await this.#sources.approvals?.waiting()) ?? 0;
  }

  async #look(at: number): Promise<Figures> {
    const { log, served, sessions } = this.#sources;
    const episodes = served.reduce((sum, each) => sum + (each instanceof Environment ? each.episodes.size : 0), 0);
    return {
      at: new Date(at).toISOString(),
      ...log.figures.read(),
      approvalsWaiting: await this.waiting(),
      episodes,
      sessions: (await sessions?.()) ?? 0,
    };
  }
}

const freshMs = 200;
