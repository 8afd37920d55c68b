import { describe, expect, it } from "vitest";
import { type Random, createRandom } from "../../../packages/core/src/environment/random/random.ts";
import { seedWords } from "../../../packages/core/src/environment/random/seed.ts";
import { type NumpyVectors, readVectors } from "./vectors.ts";

const numpy = readVectors("numpy") as NumpyVectors;
const given = readVectors("pcg64") as GivenVectors;
const episodes = readVectors("episodes") as Episode[];

describe("the bits of a seed", () => {
  it.each(given.pcg64)("are numpy's for $seed", (vector) => {
    const words = seedWords(vector.seed, 8);
    const wide = [0, 2, 4, 6].map((at) => (BigInt(words[at + 1] ?? 0) << 32n) | BigInt(words[at] ?? 0));
    expect(wide.map(String)).toEqual(vector.generate_state_u64_4);
    const random = createRandom(vector.seed);
    const { state, increment } = random.save();
    expect([BigInt(`0x${state}`), BigInt(`0x${increment}`)].map(String)).toEqual([vector.state, vector.inc]);
    expect(vector.random_raw.map(() => String(random.nextUint64()))).toEqual(vector.random_raw);
    const again = createRandom(vector.seed);
    expect(vector.random.map(() => again.random())).toEqual(vector.random);
  });
});

describe("gymnasium's frozen lake", () => {
  it.each(numpy.maps)("has the map of seed $seed, size $size, p $p", ({ seed, size, p, map }) => {
    expect(lakeMap(seed, size, p)).toEqual(map);
  });

  it.each(Object.keys(given.frozen_lake_4x4))("has the given maps of seed %s", (seed) => {
    expect(lakeMap(Number(seed), 4, 0.8)).toEqual(given.frozen_lake_4x4[seed]);
    expect(lakeMap(Number(seed), 8, 0.8)).toEqual(given.frozen_lake_8x8[seed]);
  });

  it.each(episodesOf("frozen_lake"))("starts the given episode of seed $seed on $config.map_name", (episode) => {
    const size = episode.config.map_name === "8x8" ? 8 : 4;
    const plain = String(episode.initial["grid"]).replaceAll("\u001b[41m", "").replaceAll("\u001b[0m", "");
    expect(lakeMap(episode.seed, size, 0.8)).toEqual(plain.trim().split("\n"));
  });

  it.each(numpy.walks)("slips the same way with seed $seed", ({ seed, positions }) => {
    const random = createRandom(seed);
    let position = random.categorical([1, ...Array<number>(15).fill(0)]);
    const walked = positions.map((_, turn) => {
      if (position === 15) random.categorical([1]);
      else position = slip(position, (3 * turn + seed) % 4, random);
      return position;
    });
    expect(walked).toEqual(positions);
  });
});

describe("gymnasium's blackjack", () => {
  it.each(numpy.blackjack)("deals the cards of seed $seed", ({ seed, dealer, player, top }) => {
    const table = deal(seed);
    while (total(table.player) <= 21) table.player.push(table.draw());
    expect([table.dealer, table.player, [table.suit, table.top]]).toEqual([dealer, player, top]);
  });

  it.each(Object.entries(given.blackjack))("deals the given cards of seed %s", (seed, expected) => {
    const table = deal(Number(seed));
    expect(table).toMatchObject({
      dealer: expected.dealer,
      player: expected.player,
      suit: expected.suit,
      top: expected.top,
    });
    const sums = expected.hit_until_bust.map(() => {
      table.player.push(table.draw());
      return total(table.player);
    });
    expect(sums).toEqual(expected.hit_until_bust.map((step) => step.obs[0]));

    const patient = deal(Number(seed));
    while (total(patient.dealer) < 17) patient.dealer.push(patient.draw());
    expect(patient.dealer).toEqual(expected.stick.dealer_final);
  });

  it.each(episodesOf("blackjack"))("plays the given episode of seed $seed", ({ seed, initial, steps }) => {
    const table = deal(seed);
    expect([total(table.player), table.dealer[0]]).toEqual([initial["player_sum"], initial["dealer_card"]]);
    for (const step of steps.filter(({ action }) => action === "HIT")) {
      table.player.push(table.draw());
      expect(total(table.player)).toBe(step.observation["player_sum"]);
    }
  });
});

describe("gymnasium's taxi", () => {
  const states = [
    ...numpy.taxi,
    ...Object.entries(given.taxi).map(([seed, { state }]) => ({ seed: Number(seed), state })),
    ...episodesOf("taxi").map(({ seed, initial }) => ({ seed, state: initial["state"] })),
  ];

  it.each(states)("starts in state $state with seed $seed", ({ seed, state }) => {
    expect(createRandom(seed).categorical(taxiStart())).toBe(state);
  });
});

type GivenVectors = {
  pcg64: {
    seed: number;
    generate_state_u64_4: string[];
    state: string;
    inc: string;
    random_raw: string[];
    random: number[];
  }[];
  frozen_lake_4x4: Record<string, string[]>;
  frozen_lake_8x8: Record<string, string[]>;
  blackjack: Record<string, GivenBlackjack>;
  taxi: Record<string, { state: number }>;
};

type GivenBlackjack = {
  dealer: number[];
  player: number[];
  suit: string;
  top: string;
  hit_until_bust: { obs: [number, number, number] }[];
  stick: { dealer_final: number[] };
};

type Episode = {
  env: string;
  config: { map_name?: string };
  seed: number;
  initial: Record<string, unknown>;
  steps: { action: string; observation: Record<string, unknown> }[];
};

function episodesOf(env: string): Episode[] {
  return episodes.filter((episode) => episode.env === env);
}

/** `generate_random_map`: draws whole boards until one has a way from start to goal. */
function lakeMap(seed: number, size: number, p: number): string[] {
  const random = createRandom(seed);
  for (;;) {
    const board = random.choice(["F", "H"], { size: size * size, p: [p, 1 - p] });
    board[0] = "S";
    board[board.length - 1] = "G";
    if (hasWay(board, size))
      return Array.from({ length: size }, (_, row) => board.slice(row * size, (row + 1) * size).join(""));
  }
}

function hasWay(board: string[], size: number): boolean {
  const seen = new Set([0]);
  for (const cell of seen) {
    for (const action of [0, 1, 2, 3]) {
      const next = move(cell, action, size);
      if (board[next] !== "H") seen.add(next);
    }
  }
  return seen.has(board.length - 1);
}

function slip(position: number, action: number, random: Random): number {
  const turn = random.categorical([1 / 3, 1 / 3, 1 / 3]) - 1;
  return move(position, (action + turn + 4) % 4, 4);
}

/** Left, down, right, up. */
function move(position: number, action: number, size: number): number {
  const row = Math.floor(position / size) + ([0, 1, 0, -1][action] ?? 0);
  const column = (position % size) + ([-1, 0, 1, 0][action] ?? 0);
  const isInside = row >= 0 && row < size && column >= 0 && column < size;
  return isInside ? row * size + column : position;
}

function deal(seed: number) {
  const random = createRandom(seed);
  const draw = () => random.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]);
  const dealer = [draw(), draw()];
  const player = [draw(), draw()];
  const suit = random.choice(["C", "D", "H", "S"]);
  const top = dealer[0] === 1 ? "A" : dealer[0] === 10 ? random.choice(["J", "Q", "K"]) : String(dealer[0]);
  return { dealer, player, suit, top, draw };
}

function total(hand: number[]): number {
  const sum = hand.reduce((left, right) => left + right, 0);
  return hand.includes(1) && sum + 10 <= 21 ? sum + 10 : sum;
}

/** Every place of the taxi with the passenger waiting somewhere else than at the destination. */
function taxiStart(): number[] {
  const weights = Array.from({ length: 500 }, (_, state) => {
    const passenger = Math.floor(state / 4) % 5;
    return passenger < 4 && passenger !== state % 4 ? 1 : 0;
  });
  return weights.map((weight) => weight / 300);
}
