import { RepeatedWork } from "../../store/repeated-work.ts";
import { isActive } from "../../store/runs/run.ts";
import { progressOf } from "../../store/runs/rollouts.ts";
import { boundedIds } from "../events/live-bus.ts";
import type { ChangePublisher } from "../episodes/episode-events.ts";
import type { FoundTotals, RunRepository } from "./run-repository.ts";

/**
 * Publishes runs that began, advanced or ended, while the topic has subscribers. Other processes write most runs to the
 * same store, so it is polled.
 */
export function runEvents(runs: RunRepository, bus: ChangePublisher, options: RunEventsOptions = {}): AsyncDisposable {
  let known: ReadonlyMap<string, string> | undefined;
  const check = async () => {
    if (bus.hasSubscribers?.("runs") === false) {
      known = undefined;
      return;
    }
    const now = new Map<string, string>();
    for (const found of await runs.list()) now.set(found.run.id, await markerOf(found));
    const before = known;
    known = now;
    // Changes since the subscriber's own read are unknown, so make it read again.
    if (!before) return bus.publish("runs", { changed: [] });
    const changed = Array.from(now).flatMap(([id, marker]) => (before.get(id) === marker ? [] : [id]));
    if (changed.length > 0) bus.publish("runs", { changed: boundedIds(changed) });
  };
  const onFault = (fault: unknown) => options.onFault?.(fault, "checking runs");
  return new RepeatedWork(check, { everyMs: options.everyMs ?? 1000, onFault });
}

export interface RunEventsOptions {
  readonly everyMs?: number;
  readonly onFault?: (fault: unknown, where: string) => void;
}

/** A marker that changes with the run. */
async function markerOf({ run, store, totals, score }: FoundTotals): Promise<string> {
  const { status, endedAt, pid, ended, name, tags } = run;
  const facts = JSON.stringify([status, endedAt, pid, ended, name, tags, totals, score]);
  if (!isActive(run)) return run.status === "running" ? `${facts} interrupted` : facts;
  return `${facts} ${await progressOf(store, run.id)}`;
}
