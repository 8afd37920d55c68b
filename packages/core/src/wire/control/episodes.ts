import { showValue } from "../../call/rules/show-value.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import { unknownEpisode } from "../../environment/episode-labels.ts";
import type { EpisodeLabels } from "../../environment/episode-labels.ts";
import type { Snapshot } from "../../environment/snapshot.ts";
import { isRecord } from "../../is-record.ts";
import { BiplaneError } from "../../errors.ts";
import type { Principal } from "../../tool/call.ts";
import { decodeUri } from "../../decode-uri.ts";
import { readEpisodeLabel } from "../episode-label.ts";
import { answerWith, readJson, sendError } from "../http-json.ts";
import type { RoutedRequest } from "../routed-request.ts";

/** `/control/episodes`: trainers start, list, snapshot, fork, render and end episodes. */
export class EpisodeEndpoint {
  readonly #environment: Environment;
  readonly #labels: EpisodeLabels;
  readonly #maxBodyBytes: number;

  constructor(environment: Environment, labels: EpisodeLabels, maxBodyBytes: number) {
    this.#environment = environment;
    this.#labels = labels;
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** `path` is the rest after `/control/episodes`. */
  handle({ request, response, path, principal }: RoutedRequest): void {
    const [, id = "", verb, ...more] = path.split("/");
    const action =
      more.length > 0 ? undefined : this.#actions[`${request.method} ${id ? "one" : "all"}${verb ? ` ${verb}` : ""}`];
    if (!action) return sendError(response, new BiplaneError("NOT_FOUND", "There is no such operation of episodes."));
    void answerWith({ response, server: this.#environment }, async () =>
      action(await readJson(request, { maxBytes: this.#maxBodyBytes }), { name: decodeUri(id) ?? id, principal }),
    );
  }

  readonly #actions: Readonly<Record<string, (body: unknown, target: Target) => unknown>> = {
    "GET all": () => ({ episodes: Array.from(this.#environment.episodes, (episode) => this.#describe(episode)) }),
    "POST all": async (body, { principal }) => {
      if (!isRecord(body)) throw new BiplaneError("INVALID_INPUT", "The body must be a JSON object.");
      const { seed, config, snapshot } = body as { seed?: number; config?: unknown; snapshot?: Snapshot };
      const id = readEpisodeLabel(body["id"], "id");
      const label = readEpisodeLabel(body["label"], "label") ?? id;
      const { episodes } = this.#environment;
      const episode = snapshot ? await episodes.restore(snapshot) : await episodes.start({ seed, config, label });
      if (id !== undefined && !(await this.#labels.claim(id, episode, principal))) {
        await episodes.end(episode);
        throw new BiplaneError("CONFLICT", `An episode ${showValue(id)} is open. End it first, or choose another id.`);
      }
      if (label !== undefined && label !== id) await this.#labels.bind(label, episode, principal);
      return { ...this.#describe(episode), observation: episode.firstObservation };
    },
    "GET one": async (_, target) => this.#describe(await this.#find(target)),
    "DELETE one": async (_, target) => {
      await this.#environment.episodes.end(await this.#find(target));
      return { ok: true };
    },
    "GET one snapshot": async (_, target) => this.#environment.episodes.snapshot(await this.#find(target)),
    "POST one fork": async (body, target) => {
      const { count = 1 } = isRecord(body) ? body : {};
      if (!Number.isInteger(count) || Number(count) < 1 || Number(count) > 1000)
        throw new BiplaneError("INVALID_INPUT", `count must be an integer from 1 to 1000, not ${showValue(count)}.`);
      const snapshot = await this.#environment.episodes.snapshot(await this.#find(target));
      const forks: Episode[] = [];
      for (let at = 0; at < Number(count); at++) forks.push(await this.#environment.episodes.restore(snapshot));
      return { episodes: forks.map((fork) => this.#describe(fork)) };
    },
    "GET one render": async (_, target) => {
      const episode = await this.#find(target);
      return {
        text: (await this.#environment.rules.options.render?.(episode.state, episode.context)) ?? null,
      };
    },
  };

  /** Finds an episode by its id, by the caller's own name for it, or by its label if only one has it. */
  async #find({ name, principal }: Target): Promise<Episode> {
    const own = await this.#labels.findOwn(name, principal);
    if (own) return own;
    const [labelled, ...more] = Array.from(this.#environment.episodes).filter(({ label }) => label === name);
    if (more.length > 0)
      throw new BiplaneError(
        "INVALID_INPUT",
        `${more.length + 1} episodes have the label ${JSON.stringify(name.slice(0, 64))}. Use an id.`,
      );
    const episode = (await this.#labels.find(name, principal)) ?? labelled;
    if (episode) return episode;
    throw unknownEpisode(name);
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

/** The episode that a request is about, and who asks. */
interface Target {
  readonly name: string;
  readonly principal: Principal;
}
