import { setTimeout as pause } from "node:timers/promises";
import type { Environment } from "../environment/environment.ts";
import type { Episode } from "../environment/episode.ts";
import type { Rules } from "../environment/rules.ts";
import { boundedJson, boundedText } from "./call-json.ts";
import type { OpenedEpisode, Rendered, ShownEpisode } from "./contract.ts";
import type { EpisodeBook, FoundEpisode } from "./episode-book.ts";
import { shownTool } from "./tools.ts";

/** An episode in a list. */
export function shownEpisode({ environment, episode }: FoundEpisode, book: EpisodeBook): ShownEpisode {
  const { id, label, seed, config, startedAt, stepCount, totalReward, last, terminated, truncated, fault } = episode;
  const clean = cleaner(environment);
  return {
    server: environment.name,
    id,
    label: label === undefined ? null : boundedText(label, longestLabel),
    seed: String(seed),
    config: clean(config, longestConfig),
    startedAt: startedAt.toISOString(),
    lastUsedAt: new Date(episode.lastUsed).toISOString(),
    stepCount,
    totalReward,
    lastReward: last.reward,
    terminated,
    truncated,
    fault: fault === undefined ? null : boundedText(environment.server.redactor?.text(fault) ?? fault, longestFault),
    origin: book.originOf(episode),
    forkOf: book.forkOf(episode),
  };
}

/** An episode as it stands now. */
export async function openedEpisode(found: FoundEpisode, book: EpisodeBook): Promise<OpenedEpisode> {
  const { environment, episode } = found;
  const { options } = environment.rules;
  const [observation, rendered] = await Promise.all([observed(environment, episode), drawn(environment, episode)]);
  return {
    ...shownEpisode(found, book),
    observation: cleaner(environment)(observation, longestObservation),
    rendered,
    parts: episode.last.parts ?? null,
    tools: Array.from(environment.server.tools, (tool) => shownTool(environment, tool)),
    steps: book.stepsOf(episode),
    forks: book.forksOf(found),
    canFork: environment.server.mode === "simulation" && (!options.open || Boolean(options.save && options.load)),
  };
}

const longestLabel = 200;
const longestFault = 2000;
const longestConfig = 20_000;
const longestObservation = 200_000;
const longestText = 200_000;
const longestPicture = 4_000_000;

/** Plain data without secrets, cut where it is long. */
function cleaner({ server }: Environment): (value: unknown, most: number) => unknown {
  return (value, most) => JSON.parse(boundedJson(server.redactor?.value(value) ?? value, most)) as unknown;
}

function observed({ rules }: Environment, { state, standing }: Episode): Promise<unknown> {
  return soon(() => rules.observe(state, standing), rules);
}

/** What the environment draws for people: text, or a picture where the text is the address of its data. */
async function drawn({ rules, server }: Environment, { state, standing }: Episode): Promise<Rendered | null> {
  const picture = await soon(() => rules.options.render?.(state, standing), rules);
  if (typeof picture !== "string") return null;
  const text = server.redactor?.text(picture) ?? picture;
  const [, mimeType, data] = /^data:(image\/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/=]+)$/.exec(text) ?? [];
  if (mimeType === undefined || data === undefined) return { kind: "text", text: boundedText(text, longestText) };
  if (data.length > longestPicture) return { kind: "text", text: `(a picture of ${data.length} characters)` };
  return { kind: "image", mimeType, data };
}

/** What another's function says, unless it fails or takes too long: a look at an episode must not hang. */
async function soon(look: () => unknown, rules: Rules): Promise<unknown> {
  const stop = new AbortController();
  try {
    const late = pause(longestLookMs, null, { signal: stop.signal, ref: false }).catch(() => null);
    return await Promise.race([look(), late]);
  } catch (error) {
    rules.report(error, "looking at an episode");
    return null;
  } finally {
    stop.abort();
  }
}

const longestLookMs = 1000;
