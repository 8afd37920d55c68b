import type { Store } from "../store/store.ts";
import type { ScriptDecision, ScriptDecisions } from "./script-decisions.ts";

export interface PastDecision {
  readonly hash: string;
  readonly verdict: "approved" | "rejected";
  readonly by: string;
  readonly at: string;
}

/** A text that was approved once. */
export interface ApprovedSource {
  readonly hash: string;
  readonly source: string;
  readonly at: string;
}

export interface ScriptPast {
  /** The newest first. */
  readonly decisions: readonly PastDecision[];
  /** What was approved last. */
  readonly approved: ApprovedSource | undefined;
}

/**
 * What was decided about a script over time. The records that rule show only what holds: a yes is gone after a no, and
 * the other way round. So each decision at the desk leaves a line here, the last few of each script, and the text that
 * was approved last.
 */
export class ScriptHistory {
  readonly #store: Store;
  readonly #server: string;

  constructor(store: Store, server: string) {
    this.#store = store;
    this.#server = server;
  }

  async of(file: string, now: ScriptDecisions): Promise<ScriptPast> {
    const kept = (await this.#store.get(collection, this.#key(file))) as Kept | undefined;
    return merged(kept, now.on(file));
  }

  /** Writes down what is known now, before or after something of it is replaced. */
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
const mostKept = 50;

type Kept = Partial<ScriptPast>;

function merged({ decisions = [], approved }: Kept = {}, found: readonly ScriptDecision[]): ScriptPast {
  const all = new Map(decisions.map((decision) => [keyOf(decision), decision]));
  for (const { sha256: hash, status: verdict, by, at } of found) {
    const decision = { hash, verdict, by, at };
    if (!all.has(keyOf(decision))) all.set(keyOf(decision), decision);
  }
  const texts = found
    .filter(({ status }) => status === "approved")
    .map(({ sha256: hash, source, at }) => ({ hash, source, at }));
  return {
    decisions: [...all.values()].sort(newestFirst).slice(0, mostKept),
    approved: [...(approved ? [approved] : []), ...texts].sort(newestFirst)[0],
  };
}

/** A decision about a script that is a tool of its own is two records, made in the same moment. */
function keyOf({ hash, verdict, by, at }: PastDecision): string {
  return `${hash} ${verdict} ${by} ${at.slice(0, "2026-01-31T12:00:00".length)}`;
}

function newestFirst(one: { readonly at: string }, other: { readonly at: string }): number {
  return one.at < other.at ? 1 : one.at > other.at ? -1 : 0;
}
