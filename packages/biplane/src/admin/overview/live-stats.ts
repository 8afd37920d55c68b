import { Environment } from "@biplane/core/internal";
import type { CallLog } from "../calls/call-log.ts";
import type { Figures } from "./overview-api.ts";
import type { Served } from "@biplane/core";

export interface LiveStatsSources {
  readonly log: CallLog;
  readonly served: readonly Served[];
  /** Number of waiting calls, across all processes. */
  readonly approvals?: { waiting(): Promise<number> };
  /** Number of open MCP sessions. */
  readonly sessions?: () => number | Promise<number>;
  readonly now?: () => number;
}

/** Reads the current figures. Concurrent readers share one result. */
export class LiveStats {
  readonly #sources: LiveStatsSources;
  readonly #now: () => number;
  #reading: { readonly at: number; readonly figures: Promise<Figures> } | undefined;

  constructor(sources: LiveStatsSources) {
    this.#sources = sources;
    this.#now = sources.now ?? Date.now;
  }

  read(): Promise<Figures> {
    const at = this.#now();
    if (!this.#reading || Math.abs(at - this.#reading.at) >= freshMs)
      this.#reading = { at, figures: this.#collect(at) };
    return this.#reading.figures;
  }

  async waiting(): Promise<number> {
    return (await this.#sources.approvals?.waiting()) ?? 0;
  }

  async #collect(at: number): Promise<Figures> {
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
