import { readFileSync } from "node:fs";
import type { ChoiceOptions } from "../../../packages/core/src/environment/random/choice.ts";
import type { Random } from "../../../packages/core/src/environment/random/random.ts";

/** What make-vectors.py writes into data/numpy.golden.json. */
export type NumpyVectors = {
  calls: Call[];
  runs: ({ seed: string; calls: number[]; results: unknown[] } & State)[];
  long: ({ seed: string; call: Call; digest: string } & State)[];
  maps: { seed: number; size: number; p: number; map: string[] }[];
  walks: { seed: number; positions: number[] }[];
  blackjack: { seed: number; dealer: number[]; player: number[]; top: [string, string] }[];
  taxi: { seed: number; state: number }[];
};

type State = { state: string; increment: string; half: number | null };

export type Call =
  | ["random" | "nextUint32" | "nextUint64" | "standardNormal"]
  | ["normal" | "uniform", number, number]
  | ["integers", number, number, boolean]
  | ["bigIntegers", string, string, boolean]
  | ["choice", number, ChoiceOptions]
  | ["shuffle" | "permutation", number]
  | ["categorical", number[]]
  | ["repeat", number, Call];

export function readVectors(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`data/${name}.golden.json`, import.meta.url), "utf8"));
}

/** Makes the call that make-vectors.py made of the same words. */
export function perform(random: Random, call: Call): unknown {
  switch (call[0]) {
    case "random":
    case "nextUint32":
    case "standardNormal":
      return random[call[0]]();
    case "nextUint64":
      return String(random.nextUint64());
    case "normal":
    case "uniform":
      return random[call[0]](call[1], call[2]);
    case "integers":
      return random.integers(call[1], call[2], { endpoint: call[3] });
    case "bigIntegers":
      return String(random.integers(BigInt(call[1]), BigInt(call[2]), { endpoint: call[3] }));
    case "choice":
      return random.choice(call[1], call[2]);
    case "shuffle":
      return shuffled(random, call[1]);
    case "permutation":
      return random.permutation(call[1]);
    case "categorical":
      return random.categorical(call[1]);
    default:
      return Array.from({ length: call[1] }, () => perform(random, call[2]));
  }
}

function shuffled(random: Random, count: number): number[] {
  const list = [...Array(count).keys()];
  random.shuffle(list);
  return list;
}
