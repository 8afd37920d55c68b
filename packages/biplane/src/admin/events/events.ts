import { routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { BiplaneError } from "@biplane/core";
import type { Principal } from "@biplane/core";
import { eventOperations } from "./event-api.ts";
import { mayRead } from "../openapi/scopes.ts";
import { requireReading } from "../overview/served.ts";
import { LiveReader } from "./live-reader.ts";
import type { LivePace, LiveSources, Topic } from "./live-reader.ts";

export interface EventOptions extends Partial<LivePace> {
  /** Maximum open streams (default: 100). */
  readonly maxReaders?: number;
}

/** Live updates as server-sent events. */
export class Events {
  readonly #sources: LiveSources;
  readonly #pace: LivePace;
  readonly #maxReaders: number;
  readonly #readers = new Set<LiveReader>();

  constructor(sources: LiveSources, { maxReaders = 100, ...pace }: EventOptions = {}) {
    this.#sources = sources;
    this.#maxReaders = maxReaders;
    this.#pace = {
      callsMs: 200,
      maxCalls: 20,
      recentMs: 2000,
      figuresMs: 1000,
      recheckMs: 5000,
      slowMs: 10_000,
      ...pace,
    };
  }

  /** `GET /api/events?topics=figures,calls`, for as long as the credentials are valid. */
  routes(): ApiRoutes {
    return routesOf(eventOperations, {
      "GET /api/events": ({ by, recheckPrincipal: recheck, query: { topics: asked, ...filter } }) => {
        const topics = readTopics(asked, by);
        if (this.#readers.size >= this.#maxReaders)
          throw new BiplaneError(
            "CAPACITY",
            `${this.#maxReaders} event streams are already open. Close one and try again.`,
          );
        const isStillAllowed = async () => {
          const still = await recheck();
          return still !== undefined && topics.every((topic) => mayRead(still, scopes[topic]));
        };
        return (writer) => {
          const options = { topics, filter, pace: this.#pace, isStillAllowed };
          const reader = new LiveReader(writer, this.#sources, options);
          this.#readers.add(reader);
          return () => {
            this.#readers.delete(reader);
            reader.stop();
          };
        };
      },
    });
  }

  get readers(): number {
    return this.#readers.size;
  }

  close(): void {
    for (const reader of this.#readers) reader.end();
  }
}

/** Required scopes by topic. `person` needs only a sign-in. */
const scopes: Record<Topic, string> = {
  figures: "person",
  calls: "calls",
  approvals: "approvals",
  episodes: "episodes",
  runs: "runs",
  module: "tools",
};

/** The requested topics (default: all that this person may follow). */
function readTopics(text: string | undefined, by: Principal): readonly Topic[] {
  const all = Object.keys(scopes) as Topic[];
  if (text === undefined) return all.filter((topic) => mayRead(by, scopes[topic]));
  const asked = [...new Set(text.split(","))];
  const unknown = asked.find((topic) => !Object.hasOwn(scopes, topic));
  if (unknown !== undefined)
    throw new BiplaneError("INVALID_INPUT", `topics must be a comma-separated list of ${all.join(", ")}.`);
  const topics = asked as Topic[];
  for (const topic of topics) requireReading(by, scopes[topic]);
  return topics;
}
