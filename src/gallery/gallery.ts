import type { Environment } from "../environment/environment.ts";
import { blackjack } from "./blackjack/blackjack.ts";
import { cliffWalking } from "./cliff-walking/cliff-walking.ts";
import { frozenLake } from "./frozen-lake/frozen-lake.ts";
import { taxi } from "./taxi/taxi.ts";

/** The environments that come with Biplane, by the name they are served under. */
export const gallery: Readonly<Record<string, () => Environment>> = {
  blackjack,
  "cliff-walking": cliffWalking,
  "frozen-lake": frozenLake,
  taxi,
};
