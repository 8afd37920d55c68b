import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Environment } from "biplane";
import { gallery } from "@biplane/gallery";

interface Golden {
  readonly env: string;
  readonly config: Record<string, unknown>;
  readonly seed: number;
  readonly initial: unknown;
  readonly initial_info: unknown;
  readonly steps: readonly {
    readonly action: string;
    readonly observation: unknown;
    readonly reward: number;
    readonly terminated: boolean;
    readonly truncated: boolean;
    readonly info: unknown;
  }[];
}

/** Episodes played with gymnasium itself. */
const episodes = JSON.parse(
  readFileSync(new URL("../environment/random/data/episodes.golden.json", import.meta.url), "utf8"),
) as readonly Golden[];

const tools: Record<string, string> = {
  frozen_lake: "lake_move",
  cliff_walking: "cliff_move",
  blackjack: "blackjack_move",
  taxi: "taxi_move",
};

describe.each(Object.keys(tools))("%s", (name) => {
  const environment: Environment | undefined = gallery[name.replace("_", "-")]?.();
  test.each(episodes.filter(({ env }) => env === name))(
    "plays as gymnasium does: seed $seed, $config",
    async (golden) => {
      if (!environment) throw new Error(`${name} is not in the gallery`);
      const episode = await environment.start({
        seed: golden.seed,
        config: { ...golden.config, game: "x", user_prompt: "y", colors: true },
      });
      const info = () => environment.rules.options.info?.(episode.state, episode.context);
      expect(episode.firstObservation).toEqual(golden.initial);
      expect(info()).toEqual(golden.initial_info);
      for (const step of golden.steps) {
        expect(await environment.call(episode, tools[name] ?? "", { action: step.action })).toEqual(step.observation);
        expect(episode.last.reward).toBe(step.reward);
        expect([episode.terminated, episode.truncated]).toEqual([step.terminated, step.truncated]);
        expect(info()).toEqual(step.info);
      }
      await environment.episodes.end(episode);
    },
  );
});
