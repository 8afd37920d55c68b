import type { Routes } from "../admin/api/router.ts";
import { BiplaneError } from "../errors.ts";
import type { Principal } from "../tool/call.ts";
import { filterIn } from "./call-filter.ts";
import { LiveReader } from "./live-reader.ts";
import type { LivePace, LiveSources, Topic } from "./live-reader.ts";

export interface EventOptions extends Partial<LivePace> {
  /** How many may read at the same time: 100. */
  readonly mostReaders?: number;
}

/** Everything live, as server-sent events. */
export class Events {
  readonly #sources: LiveSources;
  readonly #pace: LivePace;
  readonly #mostReaders: number;
  readonly #readers = new Set<LiveReader>();

  constructor(sources: LiveSources, { mostReaders = 100, ...pace }: EventOptions = {}) {
    this.#sources = sources;
    this.#mostReaders = mostReaders;
    this.#pace = {
      callsMs: 200,
      mostCalls: 20,
      recentMs: 2000,
      figuresMs: 1000,
      recheckMs: 5000,
      slowMs: 10_000,
      ...pace,
    };
  }

  /** `GET /api/events?topics=figures,calls`, for as long as the credentials hold. */
  routes(): Routes {
    return {
      "GET /api/events": {
        scope: "person",
        run: ({ by, stillBy, request: { query } }) => {
          const topics = topicsIn(query.get("topics"), by);
          const filter = filterIn(query);
          if (this.#readers.size >= this.#mostReaders)
            throw new BiplaneError("CAPACITY", `${this.#mostReaders} pages are open already; close one and try again`);
          const mayStill = async () => {
            const still = await stillBy();
            return still !== undefined && topics.every((topic) => mayFollow(still, topic));
          };
          return {
            status: 200,
            events: (line) => {
              const reader = new LiveReader(line, this.#sources, { topics, filter, pace: this.#pace, mayStill });
              this.#readers.add(reader);
              return () => {
                this.#readers.delete(reader);
                reader.stop();
              };
            },
          };
        },
      },
    };
  }

  get readers(): number {
    return this.#readers.size;
  }

  close(): void {
    for (const reader of this.#readers) reader.end();
  }
}

/** What a person must have for each topic; figures are for everyone who is logged in. */
const scopes: Record<Topic, string> = {
  figures: "person",
  calls: "calls",
  approvals: "approvals",
  episodes: "episodes",
  runs: "runs",
  module: "tools",
};

/** Those that are asked for; left out, all that this person may follow. */
function topicsIn(text: string | null, by: Principal): readonly Topic[] {
  const all = Object.keys(scopes) as Topic[];
  if (text === null) return all.filter((topic) => mayFollow(by, topic));
  const asked = [...new Set(text.split(","))];
  const unknown = asked.find((topic) => !Object.hasOwn(scopes, topic));
  if (unknown !== undefined)
    throw new BiplaneError("INVALID_INPUT", `topics must be of ${all.join(", ")}, with commas between them`);
  const topics = asked as Topic[];
  const closed = topics.find((topic) => !mayFollow(by, topic));
  if (closed === undefined) return topics;
  throw new BiplaneError("UNAUTHORIZED", `${by.id} lacks the scope ${scopes[closed]}`);
}

function mayFollow({ scopes: held }: Principal, topic: Topic): boolean {
  const scope = scopes[topic];
  return scope === "person" || held.includes("*") || held.includes(scope);
}
