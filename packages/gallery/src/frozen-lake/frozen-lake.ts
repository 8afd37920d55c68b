import { builtInApp } from "@biplane/core/apps/builtin";
import { environment } from "@biplane/core";
import type { Random, ValueOf } from "@biplane/core/internal";
import { restoreRandom } from "@biplane/core/internal";
import { gridStep } from "../grid-step.ts";
import type { GridMove } from "../grid-step.ts";
import { checkMap, drawMap, namedMaps } from "./map.ts";

export interface FrozenLakeOptions {
  /** Marks the player in the grid with terminal colours, as gymnasium does (default: with brackets). */
  readonly colors?: boolean;
}

/**
 * Cross a frozen lake from S to G without falling into a hole. Gymnasium's FrozenLake-v1: same seed, same walk. As in
 * Eval Protocol, the seed also draws the map, and the ice is not slippery, unless the config asks for gymnasium's lake.
 */
export function frozenLake({ colors = false }: FrozenLakeOptions = {}) {
  const show = (lake: Lake, config: LakeConfig) => ({
    position: lake.position,
    grid: draw(lake, { hasColors: config.colors ?? colors }),
  });
  return environment({
    name: "frozen-lake",
    version: "1.0.0",
    description: "Cross a frozen lake from S to G without falling into a hole H.",
    config: lakeConfig,
    start: ({ config, random }) => startLake(config, random),
    observe: (lake, { config }) => show(lake, config),
    tools: (tool) => ({
      lake_move: tool({
        description: "Move one step on the frozen lake",
        input: { type: "object", properties: { action: { enum: moves } }, required: ["action"] },
        ui: builtInApp("frozen-lake"),
        run: ({ action }, { state: lake, random, config }) => {
          move(lake, action, random);
          return { ...show(lake, config), action };
        },
      }),
    }),
    reward: ({ after }) => after.rewards[tile(after) === "G" ? 0 : tile(after) === "H" ? 1 : 2] ?? 0,
    status: (lake, { stepCount }) => ({
      terminated: tile(lake) === "G" || tile(lake) === "H",
      truncated: stepCount >= lake.maxSteps,
    }),
    info: (lake) => ({ prob: lake.chance }),
    render: (lake) => draw(lake, { hasColors: true }),
  });
}

const lakeConfig = {
  type: "object",
  properties: {
    gym_id: {
      enum: ["FrozenLake-v1", "FrozenLake8x8-v1"],
      description: "Play what gymnasium.make gives for this id: its own map, and slippery ice",
    },
    map_name: { enum: ["4x4", "8x8"], description: "Size of the map that the seed draws, or gymnasium's own map" },
    desc: {
      type: "array",
      items: { type: "string", pattern: "^[SFHG]+$" },
      minItems: 1,
      description: "The rows of a map: start, frozen, hole and goal. The ice is slippery unless is_slippery is false",
    },
    is_slippery: { type: "boolean", description: "A move may go to the side" },
    success_rate: {
      type: "number",
      minimum: 0,
      maximum: 1,
      description: "How probably a move on slippery ice goes as intended (default: 1/3)",
    },
    reward_schedule: {
      type: "array",
      items: { type: "number" },
      minItems: 3,
      maxItems: 3,
      description: "Rewards for the goal, a hole, and any other tile (default: 1, 0, 0)",
    },
    max_steps: { type: "integer", minimum: 1 },
    colors: { type: "boolean", description: "Mark the player in the grid with terminal colours, not with brackets" },
  },
} as const;

type LakeConfig = ValueOf<typeof lakeConfig>;

interface Lake {
  readonly map: readonly string[];
  /** How probably a move on slippery ice goes as intended. */
  readonly successRate: number;
  readonly isSlippery: boolean;
  /** For the goal, a hole, and any other tile. */
  readonly rewards: readonly number[];
  readonly maxSteps: number;
  position: number;
  lastMove: GridMove | undefined;
  /** Probability of the last move's direction. */
  chance: number;
}

function startLake(config: LakeConfig, random: Random): Lake {
  const { gym_id: id, desc, success_rate: rate, reward_schedule: rewards = [1, 0, 0] } = config;
  const name = config.map_name ?? (id === "FrozenLake8x8-v1" ? "8x8" : "4x4");
  const isGymnasium = id !== undefined || desc !== undefined;
  const isSlippery = config.is_slippery ?? (isGymnasium || rate !== undefined);
  const map = desc ? checkMap(desc) : isGymnasium ? (namedMaps[name] ?? []) : drawnMap(name, random);
  const isLong = isGymnasium ? id === "FrozenLake8x8-v1" : name === "8x8";
  const starts = map.flatMap((row) => Array.from(row, (letter) => Number(letter === "S")));
  const count = starts.reduce((sum, each) => sum + each, 0);
  return {
    map,
    isSlippery,
    successRate: rate ?? 1 / 3,
    rewards,
    maxSteps: config.max_steps ?? (isLong ? 200 : 100),
    position: random.categorical(starts.map((each) => each / count)),
    lastMove: undefined,
    chance: 1,
  };
}

/** The map must not consume the walk's random draws. */
function drawnMap(name: "4x4" | "8x8", random: Random): readonly string[] {
  return drawMap(name === "8x8" ? 8 : 4, restoreRandom(random.save()));
}

const moves = ["LEFT", "DOWN", "RIGHT", "UP"] as const;

/** On slippery ice, the move goes as intended or to either side. On firm ice there is one outcome to draw from. */
function move(lake: Lake, action: GridMove, random: Random): void {
  const wanted = moves.indexOf(action);
  const aside = (1 - lake.successRate) / 2;
  const possible = lake.isSlippery
    ? [
        { direction: (wanted + 3) % 4, chance: aside },
        { direction: wanted, chance: lake.successRate },
        { direction: (wanted + 1) % 4, chance: aside },
      ]
    : [{ direction: wanted, chance: 1 }];
  const taken = possible[random.categorical(possible.map(({ chance }) => chance))];
  const size = { rows: lake.map.length, columns: widthOf(lake.map) };
  lake.position = gridStep(lake.position, moves[taken?.direction ?? wanted] ?? action, size);
  lake.chance = taken?.chance ?? 1;
  lake.lastMove = action;
}

function tile({ map, position }: Lake): string {
  return map.join("")[position] ?? "";
}

function widthOf(map: readonly string[]): number {
  return map[0]?.length ?? 0;
}

/** Gymnasium's rendering, with the player on red. Models read brackets better than the codes of a colour. */
function draw({ map, position, lastMove }: Lake, { hasColors }: { hasColors: boolean }): string {
  const cells = map.flatMap((row) => Array.from(row));
  cells[position] = hasColors ? `\u001B[41m${cells[position]}\u001B[0m` : `[${cells[position]}]`;
  const columns = widthOf(map);
  const rows = map.map((_, row) => cells.slice(row * columns, (row + 1) * columns).join(""));
  const title = lastMove ? `  (${lastMove.charAt(0)}${lastMove.slice(1).toLowerCase()})` : "";
  return `${title}\n${rows.join("\n")}\n`;
}
