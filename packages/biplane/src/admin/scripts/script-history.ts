import type { Store } from "@biplane/core";
import type { ScriptDecision, ScriptDecisions } from "./script-decisions.ts";

export interface PastDecision {
  readonly hash: string;
  readonly verdict: "approved" | "rejected";
  readonly by: string;
  readonly at: string;
}

/** A source that was approved. */
export interface ApprovedSource {
  readonly hash: string;
  readonly source: string;
  readonly at: string;
}

export interface ScriptPast {
  /** Newest first. */
  readonly decisions: readonly PastDecision[];
  /** The last approved source. */
  readonly approved: ApprovedSource | undefined;
}

/**
 * Past decisions about a script. The approval records only hold the current state, so each decision is also stored
 * here: the last few per script, with the last approved source.
 */
export class ScriptHistory {
  readonly #store: Store;
  readonly #server: string;

  constructor(store: Store, server: string) {
    this.#store = store;
    this.#server = server;
  }

  async of(file: string, now: ScriptDecisions): Promise<ScriptPast> {
    const stored = (await this.#store.get(collection, this.#key(file))) as StoredHistory | undefined;
    return merged(stored, now.on(file));
  }

  /** Stores the current decisions, before or after one of them is replaced. */
  async keep(file: string, now: ScriptDecisions): Promise<void> {
    await this.#store.change(collection, this.#key(file), (record) => ({
      ...merged(record, now.on(file)),
    }));
  }

  #key(file: string): string {
    return `${this.#server}/${file}`;
  }
}

const collection = "script-history";
const maxDecisions = 50;

type StoredHistory = Partial<ScriptPast>;

function merged({ decisions = [], approved }: StoredHistory = {}, found: readonly ScriptDecision[]): ScriptPast {
  const all = new Map(decisions.map((decision) => [keyOf(decision), decision]));
  for (const { sha256: hash, status: verdict, by, at } of found) {
    const decision = { hash, verdict, by, at };
    if (!all.has(keyOf(decision))) all.set(keyOf(decision), decision);
  }
  const texts = found
    .filter(({ status }) => status === "approved")
    .map(({ sha256: hash, source, at }) => ({ hash, source, at }));
  return {
    decisions: [...all.values()].sort(newestFirst).slice(0, maxDecisions),
    approved: [...(approved ? [approved] : []), ...texts].sort(newestFirst)[0],
  };
}

/** A script with its own tool gets two records per decision, made at the same time. */
function keyOf({ hash, verdict, by, at }: PastDecision): string {
  return `${hash} ${verdict} ${by} ${at.slice(0, "2026-01-31T12:00:00".length)}`;
}

function newestFirst(one: { readonly at: string }, other: { readonly at: string }): number {
  return one.at < other.at ? 1 : one.at > other.at ? -1 : 0;
}
