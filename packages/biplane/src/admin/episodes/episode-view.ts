import { setTimeout as pause } from "node:timers/promises";
import type { Environment, Episode } from "@biplane/core";
import type { Rules } from "@biplane/core/internal";
import { boundedJson, boundedText } from "../calls/bounded-json.ts";
import type { EpisodeDetail, Rendered, EpisodeSummary } from "./episode-api.ts";
import type { EpisodeList, FoundEpisode } from "./episode-list.ts";
import { toolSummary } from "../overview/tool-routes.ts";

/** An episode as a list item. */
export function episodeSummary({ environment, episode }: FoundEpisode, episodes: EpisodeList): EpisodeSummary {
  const { id, label, seed, config, startedAt, stepCount, totalReward, last, terminated, truncated, failure } = episode;
  const clean = cleaner(environment);
  return {
    server: environment.name,
    id,
    label: label === undefined ? null : boundedText(label, maxLabelLength),
    seed: String(seed),
    config: clean(config, maxConfigLength),
    startedAt: startedAt.toISOString(),
    lastUsedAt: new Date(episode.lastUsed).toISOString(),
    stepCount,
    totalReward,
    lastReward: last.reward,
    terminated,
    truncated,
    failure: failure
      ? { ...failure, message: environment.server.redactor?.text(failure.message) ?? failure.message }
      : null,
    playedBy: playedBy(environment, episode),
    origin: episodes.originOf(episode),
    forkOf: episodes.forkOf(episode),
  };
}

/** An episode with its current state. */
export async function episodeDetail(found: FoundEpisode, episodes: EpisodeList): Promise<EpisodeDetail> {
  const { environment, episode } = found;
  const { options } = environment.rules;
  const [observation, rendered] = await Promise.all([observed(environment, episode), rendering(environment, episode)]);
  return {
    ...episodeSummary(found, episodes),
    observation: cleaner(environment)(observation, maxObservationLength),
    rendered,
    parts: episode.last.parts ?? null,
    tools: Array.from(environment.server.tools, (tool) => toolSummary(environment, tool)),
    steps: episodes.stepsOf(episode),
    forks: episodes.forksOf(found),
    canFork: environment.server.mode === "simulation" && (!options.open || Boolean(options.save && options.load)),
  };
}

function playedBy({ server }: Environment, { player }: Episode): EpisodeSummary["playedBy"] {
  if (!player) return null;
  const { agentId, principal, route } = player;
  const clean = (text: string) => boundedText(server.redactor?.text(text) ?? text, maxNameLength);
  return { agentId: clean(agentId), principal: { kind: principal.kind, id: clean(principal.id) }, route };
}

const maxLabelLength = 200;
const maxNameLength = 256;
const maxConfigLength = 20_000;
const maxObservationLength = 200_000;
const maxTextLength = 200_000;
const maxImageLength = 4_000_000;

/** Redacted and bounded plain data. */
function cleaner({ server }: Environment): (value: unknown, maxLength: number) => unknown {
  return (value, maxLength) => JSON.parse(boundedJson(server.redactor?.value(value) ?? value, maxLength)) as unknown;
}

function observed({ rules }: Environment, { state, context: standing }: Episode): Promise<unknown> {
  return withTimeout(() => rules.observe(state, standing), rules);
}

/** The environment's rendering: text, or an image if the text is a data URL. */
async function rendering(
  { rules, server }: Environment,
  { state, context: standing }: Episode,
): Promise<Rendered | null> {
  const output = await withTimeout(() => rules.options.render?.(state, standing), rules);
  if (typeof output !== "string") return null;
  const text = server.redactor?.text(output) ?? output;
  const [, mimeType, data] = /^data:(image\/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/=]+)$/.exec(text) ?? [];
  if (mimeType === undefined || data === undefined) return { kind: "text", text: boundedText(text, maxTextLength) };
  if (data.length > maxImageLength) return { kind: "text", text: `(an image of ${data.length} characters of base64)` };
  return { kind: "image", mimeType, data };
}

/** Calls user code with a time limit, so that viewing an episode cannot hang. */
async function withTimeout(read: () => unknown, rules: Rules): Promise<unknown> {
  const stop = new AbortController();
  try {
    const late = pause(renderTimeoutMs, null, { signal: stop.signal, ref: false }).catch(() => null);
    return await Promise.race([read(), late]);
  } catch (error) {
    rules.report(error, "looking at an episode");
    return null;
  } finally {
    stop.abort();
  }
}

const renderTimeoutMs = 1000;
