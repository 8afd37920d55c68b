import { found, made, notFound, nothing } from "../admin/api/answers.ts";
import { fieldsOf, oneOf, pageFrom, pageOf, textIn } from "../admin/api/input.ts";
import type { Routes } from "../admin/api/router.ts";
import { personEntry } from "../admin/audit/person-entry.ts";
import type { AuditSink } from "../call/audit.ts";
import type { Environment } from "../environment/environment.ts";
import { BiplaneError } from "../errors.ts";
import type { DoorAnswer } from "../server/doors.ts";
import type { Principal } from "../tool/call.ts";
import { callFailure } from "./call-failure.ts";
import type { EpisodeBook, FoundEpisode } from "./episode-book.ts";
import { playStep } from "./episode-step.ts";
import { openedEpisode, shownEpisode } from "./episode-view.ts";

export interface EpisodeParts {
  readonly book: EpisodeBook;
  /** Told of episodes that people begin and end. */
  readonly onChange?: (id: string) => void;
  readonly audit?: AuditSink | undefined;
}

/** `/api/episodes`: what is played here, to look at and, where trainers may, to play by hand. */
export function episodeRoutes(parts: EpisodeParts): Routes {
  const { book } = parts;
  const scope = "episodes";
  const show = async (episode: FoundEpisode) => openedEpisode(episode, book);
  return {
    "GET /api/episodes": {
      scope,
      run: ({ request }) => {
        const { query } = request;
        const names = book.environments.map(({ name }) => name);
        const server = oneOf(query, "server", names);
        const status = oneOf(query, "status", ["open", "over"]);
        const fitting = Array.from(book).filter(
          ({ environment, episode }) =>
            (server === undefined || environment.name === server) &&
            (status === undefined || episode.isOver === (status === "over")),
        );
        const { page, next } = pageFrom(fitting, newestFirst, pageOf(request));
        return found({ episodes: page.map((each) => shownEpisode(each, book)), next });
      },
    },
    "POST /api/episodes": {
      scope,
      run: ({ by, request: { body } }) =>
        orFailure(async () => {
          const { server, seed, config } = fieldsOf(body, ["server", "seed", "config"]);
          const environment = book.environment(server);
          mayPlay(environment);
          const episode = await environment.start({ seed: seedIn(seed), config });
          await note(parts, { what: "start", by, id: episode.id, server: environment.name });
          return made(await show({ environment, episode }));
        }),
    },
    "GET /api/episodes/:id": {
      scope,
      run: async ({ parameters: { id = "" } }) => {
        const there = book.find(id);
        return there ? found(await show(there)) : gone;
      },
    },
    "DELETE /api/episodes/:id": {
      scope,
      run: async ({ by, parameters: { id = "" } }) => {
        const there = book.find(id);
        if (!there) return gone;
        mayPlay(there.environment);
        await there.environment.episodes.end(there.episode);
        await note(parts, { what: "end", by, id, server: there.environment.name });
        return nothing;
      },
    },
    "POST /api/episodes/:id/calls": {
      scope,
      run: async ({ by, parameters: { id = "" }, request: { body } }) => {
        const there = book.find(id);
        if (!there) return gone;
        mayPlay(there.environment);
        const { tool, input = {} } = fieldsOf(body, ["tool", "input"]);
        const played = await playStep(there, { tool: textIn(tool, "tool"), input, by });
        return found({ ...played, episode: await show(there) });
      },
    },
    "POST /api/episodes/:id/fork": {
      scope,
      run: ({ by, parameters: { id = "" }, request: { body = {} } }) =>
        orFailure(async () => {
          fieldsOf(body, []);
          const there = book.find(id);
          if (!there) return gone;
          const { environment } = there;
          mayPlay(environment);
          const episode = await environment.episodes.fork(there.episode);
          book.inherit(episode, there.episode);
          await note(parts, { what: "fork", by, id: episode.id, server: environment.name });
          return made(await show({ environment, episode }));
        }),
    },
  };
}

/** People play where trainers do. Looking is always allowed. */
export function mayPlay({ name, server }: Environment): void {
  if (server.mode === "simulation") return;
  throw new BiplaneError(
    "POLICY_DENIED",
    `${name} is in production: its episodes can be looked at, not played by hand`,
  );
}

/** What an environment's own code fails with is said, and is no fault of ours. */
export async function orFailure(run: () => Promise<DoorAnswer>): Promise<DoorAnswer> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof BiplaneError && error.code !== "INTERNAL") return callFailure(error);
    throw error;
  }
}

const gone = notFound("There is no such episode; it may have ended");

/** The newest first, for pages that stay put while others come and go. */
function newestFirst({ episode: { startedAt, id } }: FoundEpisode): string {
  return `${String(lastMoment - startedAt.getTime()).padStart(16, "0")}-${id}`;
}

const lastMoment = 8_640_000_000_000_000;

/** A number, or its digits where it is too large for one. */
function seedIn(seed: unknown): number | bigint | undefined {
  if (seed === undefined || seed === null || Number.isSafeInteger(seed)) return (seed as number | null) ?? undefined;
  if (typeof seed !== "string" || !/^\d{1,40}$/.test(seed))
    throw new BiplaneError("INVALID_INPUT", "seed must be a whole number from 0 up, or its digits");
  return BigInt(seed) <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(seed) : BigInt(seed);
}

async function note(
  { audit, onChange }: EpisodeParts,
  { what, by, id, server }: { what: string; by: Principal; id: string; server: string },
): Promise<void> {
  onChange?.(id);
  await audit?.record({ ...personEntry(`episodes/${what}`, { server }, by), episode: id });
}
