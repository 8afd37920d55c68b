import { Shares } from "@biplane/core/internal";
import { JobWorker } from "../shared/worker/job-worker.ts";
import type { ReadablePage } from "./html-to-markdown.ts";

/** Converts pages to Markdown in a worker thread. */
export type PageReader = JobWorker<{ readonly html: string; readonly url: string }, ReadablePage>;

export function pageReader(): PageReader {
  return new JobWorker({ entry, places: pagePlaces });
}

/** Each page has up to 2 million characters. */
export const pagePlaces = new Shares("pages to convert", { perCaller: 25, total: 100 });

const entry = { name: "html", source: new URL("./html-worker.ts", import.meta.url) } as const;
