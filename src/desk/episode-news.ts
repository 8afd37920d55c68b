import type { EpisodeBook } from "./episode-book.ts";

/** Where news goes. */
export interface News {
  publish(topic: "episodes" | "runs", data: { readonly changed: readonly string[] }): void;
  /** Whether anybody listens. Left out: somebody may. */
  isHeard?(topic: "episodes" | "runs"): boolean;
}

/** Tells of episodes that began or ended, by whatever door; steps are told as they are made. */
export function episodeNews(book: EpisodeBook, news: News, options: { everyMs?: number } = {}): Disposable {
  const ids = () => new Set<string>(Array.from(book, ({ episode }) => episode.id));
  let known = ids();
  const look = () => {
    const before = known;
    known = ids();
    const begun = Array.from(known).filter((id) => !before.has(id));
    const ended = Array.from(before).filter((id) => !known.has(id));
    if (begun.length + ended.length > 0) news.publish("episodes", { changed: named([...begun, ...ended]) });
  };
  const timer = setInterval(look, options.everyMs ?? 500).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Too many to name are an empty list. */
export function named(changed: readonly string[]): readonly string[] {
  return changed.length > mostNamed ? [] : changed;
}

const mostNamed = 50;
