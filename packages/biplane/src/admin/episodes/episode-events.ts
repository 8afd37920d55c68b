import { boundedIds } from "../events/live-bus.ts";
import type { EpisodeList } from "./episode-list.ts";

/** Publishes changes of episodes and runs. */
export interface ChangePublisher {
  publish(topic: "episodes" | "runs", data: { readonly changed: readonly string[] }): void;
  /** True if the topic has subscribers (default: assumed). */
  hasSubscribers?(topic: "episodes" | "runs"): boolean;
}

/** Publishes episodes that began or ended, by any transport. Steps are published as they are made. */
export function episodeEvents(
  episodes: EpisodeList,
  bus: ChangePublisher,
  options: { everyMs?: number } = {},
): Disposable {
  const ids = () => new Set<string>(Array.from(episodes, ({ episode }) => episode.id));
  let known = ids();
  const check = () => {
    const before = known;
    known = ids();
    const begun = Array.from(known).filter((id) => !before.has(id));
    const ended = Array.from(before).filter((id) => !known.has(id));
    if (begun.length + ended.length > 0) bus.publish("episodes", { changed: boundedIds([...begun, ...ended]) });
  };
  const timer = setInterval(check, options.everyMs ?? 500).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
