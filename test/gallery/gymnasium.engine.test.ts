import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Environment } from "biplane";
import { describe, expect, test } from "vitest";
import { gallery } from "@biplane/gallery";

/** Episodes played with gymnasium itself by make-golden.py, which says what each field is. */
const groups = ["gymnasium", "taxi-v3"].flatMap(
  (name) => JSON.parse(readFileSync(new URL(`data/${name}.golden.json`, import.meta.url), "utf8")) as readonly Group[],
);

interface Group {
  readonly environment: string;
  readonly config: Record<string, unknown>;
  readonly episodes: readonly Golden[];
}

interface Golden {
  readonly seed: number;
  readonly actions: string;
  readonly numbers: readonly number[];
  readonly rewards: readonly number[];
  readonly terminated: boolean;
  readonly truncated: boolean;
  readonly digest: string;
}

/** The tool of each environment, its actions in gymnasium's order, and the number that stands for an observation. */
const games: Record<string, { tool: string; actions: string; number: string; isDrawn: boolean }> = {
  "frozen-lake": { tool: "lake_move", actions: "LEFT DOWN RIGHT UP", number: "position", isDrawn: true },
  "cliff-walking": { tool: "cliff_move", actions: "UP RIGHT DOWN LEFT", number: "position", isDrawn: true },
  blackjack: { tool: "blackjack_move", actions: "STICK HIT", number: "player_sum", isDrawn: false },
  taxi: { tool: "taxi_move", actions: "SOUTH NORTH EAST WEST PICKUP DROPOFF", number: "state", isDrawn: true },
};

describe.each(groups.map((group) => [`${group.environment} ${JSON.stringify(group.config)}`, group] as const))(
  "%s",
  (_, group) => {
    const { environment: name, config, episodes } = group;
    const environment = find(name);

    test.each(episodes)("plays as gymnasium does with seed $seed", async (golden) => {
      expect(await play(environment, { config, golden })).toEqual(golden);
    });
  },
);

test.each([
  [["SFF", "FG"], /desc differ in length: SFF, FG/],
  [["FFG"], /desc has no start/],
  [["SXG"], /desc/],
  [[], /desc/],
])("a lake of %j is refused", async (desc, message) => {
  await using environment = find("frozen-lake");
  const started = environment.start({ seed: 1, config: { desc } });
  await expect(started).rejects.toThrow(message);
});

test("a lake with a desc is gymnasium's, with or without its id", async () => {
  const drawn = groups.filter(({ config }) => "desc" in config);
  expect(drawn.length).toBeGreaterThan(0);
  for (const { config, episodes } of drawn) {
    const { gym_id: _, ...rest } = config;
    for (const golden of episodes) expect(await play(find("frozen-lake"), { config: rest, golden })).toEqual(golden);
  }
});

test("no tool result tells an agent what only trainers may know", async () => {
  for (const { environment: name, config, episodes } of groups) {
    const environment = find(name);
    const seen = new Set<string>();
    for (const golden of episodes.slice(0, 5))
      await play(environment, { config, golden, onResult: (key) => seen.add(key) });
    expect([...seen]).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/reward|terminated|truncated|seed|info|prob|mask/)]),
    );
  }
});

test("blackjack hides the dealer's other cards in its picture until the end", async () => {
  const environment = find("blackjack");
  const episode = await environment.start({ seed: 42 });
  const picture = () => environment.rules.options.render?.(episode.state, episode.context);
  expect(picture()).toMatch(/^Dealer: 2[CDHS] \?\nPlayer: 9 6 \(15\)\n$/);
  await environment.call(episode, "blackjack_move", { action: "STICK" });
  expect(picture()).toMatch(/^Dealer: 2[CDHS] 10 10 \(22\)\nPlayer: 9 6 \(15\)\n$/);
});

interface PlayOptions {
  readonly config: Record<string, unknown>;
  readonly golden: Golden;
  readonly onResult?: (key: string) => void;
}

/** Plays the actions of a golden episode, and records them in the same way. */
async function play(environment: Environment, { config, golden, onResult }: PlayOptions): Promise<Golden> {
  const game = games[environment.name];
  if (!game) throw new Error(`No game is called ${environment.name}`);
  const { info, render } = environment.rules.options;
  const episode = await environment.start({ seed: golden.seed, config: { ...config, colors: true } });
  const numberOf = (observation: unknown) => (observation as Record<string, number>)[game.number] ?? Number.NaN;
  const seen = (observation: unknown, ...outcome: unknown[]) => {
    const standing = episode.context;
    const picture = game.isDrawn ? [render?.(episode.state, standing)] : [];
    return JSON.stringify([observation, info?.(episode.state, standing), ...picture, ...outcome]);
  };
  const numbers = [numberOf(episode.firstObservation)];
  const rewards: number[] = [];
  const lines = [seen(episode.firstObservation)];
  for (const number of golden.actions) {
    const action = game.actions.split(" ")[Number(number)];
    const result = await environment.call(episode, game.tool, { action });
    for (const key of Object.keys(result as object)) onResult?.(key);
    const { terminated, truncated, last } = episode;
    numbers.push(numberOf(result));
    rewards.push(last.reward ?? Number.NaN);
    lines.push(seen(result, last.reward, terminated, truncated));
  }
  await environment.episodes.end(episode);
  const digest = createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 16);
  const { terminated, truncated } = episode;
  return { seed: golden.seed, actions: golden.actions, numbers, rewards, terminated, truncated, digest };
}

function find(name: string): Environment {
  const make = gallery[name];
  if (!make) throw new Error(`${name} is not in the gallery`);
  return make();
}
