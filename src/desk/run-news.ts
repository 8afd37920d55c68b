import type { Run } from "../rollout/run.ts";
import { isPlayed } from "../rollout/run-shelf.ts";
import { indexLogOf, logOf } from "../rollout/trace-index.ts";
import type { Store } from "../store/store.ts";
import { named } from "./episode-news.ts";
import type { News } from "./episode-news.ts";
import type { RunRoom } from "./run-room.ts";

/**
 * Tells of runs that began, went on or ended, while somebody listens. Most are played by other processes, which write to
 * the same file and know nothing of us: so it is looked at now and then, two lines for each run that is being played.
 */
export function runNews(room: RunRoom, news: News, options: RunNewsOptions = {}): Disposable {
  let known: ReadonlyMap<string, string> | undefined;
  let isLooking = false;
  const look = async () => {
    const now = new Map<string, string>();
    for (const { run, store } of await room.list()) now.set(run.id, await markOf(run, store));
    const before = known;
    known = now;
    // What has changed between the listener's own look and this one nobody can say: it looks again.
    if (!before) return news.publish("runs", { changed: [] });
    const changed = Array.from(now).flatMap(([id, mark]) => (before.get(id) === mark ? [] : [id]));
    if (changed.length > 0) news.publish("runs", { changed: named(changed) });
  };
  const timer = setInterval(() => {
    if (news.isHeard?.("runs") === false) known = undefined;
    else if (!isLooking) {
      isLooking = true;
      void look()
        .catch((error: unknown) => options.onFault?.(error, "looking at runs"))
        .finally(() => (isLooking = false));
    }
  }, options.everyMs ?? 1000).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

export interface RunNewsOptions {
  readonly everyMs?: number;
  readonly onFault?: (fault: unknown, where: string) => void;
}

/** Another one whenever there is something new to see. */
async function markOf(run: Run, store: Store): Promise<string> {
  const facts = `${run.status} ${run.endedAt ?? ""} ${run.pid}`;
  if (!isPlayed(run)) return run.status === "running" ? `${facts} interrupted` : facts;
  // Steps, and rollouts that are over: those come a moment after their last step.
  const last = await Promise.all([logOf(run.id), indexLogOf(run.id)].map((log) => store.last(log)));
  return `${facts} ${last.map((line) => line?.sequence ?? 0).join(" ")}`;
}
