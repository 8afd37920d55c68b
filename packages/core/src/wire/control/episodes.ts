import { showValue } from "../../call/rules/show-value.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import type { Snapshot } from "../../environment/snapshot.ts";
import { isRecord } from "../../is-record.ts";
import { BiplaneError } from "../../errors.ts";
import { readEpisodeLabel } from "../episode-label.ts";
import { answerWith, readJson, sendError } from "../http-json.ts";
import type { RoutedRequest } from "../routed-request.ts";

/** `/control/episodes`: trainers start, list, snapshot, fork, render and end episodes. */
export class EpisodeEndpoint {
  readonly #environment: Environment;
  readonly #maxBodyBytes: number;

  constructor(environment: Environment, maxBodyBytes: number) {
    this.#environment = environment;
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** `path` is the rest after `/control/episodes`. */
  handle({ request, response, path }: RoutedRequest): void {
    const [, id, verb, ...more] = path.split("/");
    const action =
      more.length > 0 ? undefined : this.#actions[`${request.method} ${id ? "one" : "all"}${verb ? ` ${verb}` : ""}`];
    if (!action) return sendError(response, new BiplaneError("NOT_FOUND", "There is no such operation of episodes."));
    void answerWith({ response, server: this.#environment }, async () =>
      action(await readJson(request, { maxBytes: this.#maxBodyBytes }), id ?? ""),
    );
  }

  readonly #actions: Readonly<Record<string, (body: unknown, id: string) => unknown>> = {
    "GET all": () => ({ episodes: Array.from(this.#environment.episodes, (episode) => this.#describe(episode)) }),
    "POST all": async (body) => {
      if (!isRecord(body)) throw new BiplaneError("INVALID_INPUT", "The body must be a JSON object.");
      const { seed, config, snapshot } = body as { seed?: number; config?: unknown; snapshot?: Snapshot };
      const label = readEpisodeLabel(body["label"], "label");
      const { episodes } = this.#environment;
      const episode = snapshot ? await episodes.restore(snapshot) : await episodes.start({ seed, config, label });
      return { ...this.#describe(episode), observation: episode.firstObservation };
    },
    "GET one": async (_, id) => this.#describe(await this.#find(id)),
    "DELETE one": async (_, id) => {
      await this.#environment.episodes.end(await this.#find(id));
      return { ok: true };
    },
    "GET one snapshot": async (_, id) => this.#environment.episodes.snapshot(await this.#find(id)),
    "POST one fork": async (body, id) => {
      const { count = 1 } = isRecord(body) ? body : {};
      if (!Number.isInteger(count) || Number(count) < 1 || Number(count) > 1000)
        throw new BiplaneError("INVALID_INPUT", `count must be an integer from 1 to 1000, not ${showValue(count)}.`);
      const snapshot = await this.#environment.episodes.snapshot(await this.#find(id));
      const forks: Episode[] = [];
      for (let at = 0; at < Number(count); at++) forks.push(await this.#environment.episodes.restore(snapshot));
      return { episodes: forks.map((fork) => this.#describe(fork)) };
    },
    "GET one render": async (_, id) => {
      const episode = await this.#find(id);
      return {
        text: (await this.#environment.rules.options.render?.(episode.state, episode.context)) ?? null,
      };
    },
  };

  /** Finds an episode by its id, or by its label if only one has it. */
  async #find(name: string): Promise<Episode> {
    const { episodes } = this.#environment;
    const byId = await episodes.find(name);
    if (byId) return byId;
    const label = decoded(name);
    const [episode, ...more] = Array.from(episodes).filter((each) => each.label === label);
    const shown = JSON.stringify(label.slice(0, 64));
    if (!episode) throw new BiplaneError("NOT_FOUND", `There is no episode ${shown}.`);
    if (more.length > 0)
      throw new BiplaneError("INVALID_INPUT", `${more.length + 1} episodes have the label ${shown}. Use an id.`);
    return episode;
  }

  #describe(episode: Episode): object {
    const { id, label, seed, config, stepCount, totalReward, last, terminated, truncated, startedAt } = episode;
    return {
      id,
      url: `/e/${id}/mcp`,
      environment: this.#environment.name,
      label: label ?? null,
      seed: typeof seed === "bigint" && seed > BigInt(Number.MAX_SAFE_INTEGER) ? String(seed) : Number(seed),
      config,
      step_count: stepCount,
      total_reward: totalReward,
      reward: last.reward,
      ...(last.parts && { reward_parts: last.parts }),
      terminated,
      truncated,
      started_at: startedAt.toISOString(),
      failure: episode.failure ?? null,
    };
  }
}

/** Text that is not percent-encoded names itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
