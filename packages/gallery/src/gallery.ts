import type { Environment } from "@biplane/core";
import { blackjack } from "./blackjack/blackjack.ts";
import { catchBall } from "./catch/catch.ts";
import { cliffWalking } from "./cliff-walking/cliff-walking.ts";
import { connectFour } from "./connect-four/connect-four.ts";
import { echo } from "./echo/echo.ts";
import { echoTyped } from "./echo-typed/echo-typed.ts";
import { frozenLake } from "./frozen-lake/frozen-lake.ts";
import { gridWorld } from "./grid-world/grid-world.ts";
import { lunarLander } from "./lunar-lander/lunar-lander.ts";
import { taxi } from "./taxi/taxi.ts";
import { waiting } from "./waiting/waiting.ts";
import { wordle } from "./wordle/wordle.ts";

const environments = {
  "frozen-lake": frozenLake,
  "cliff-walking": cliffWalking,
  blackjack,
  taxi,
  "lunar-lander": lunarLander,
  echo,
  "echo-typed": echoTyped,
  "connect-four": connectFour,
  wordle,
  catch: catchBall,
  "grid-world": gridWorld,
  waiting,
};

/** The bundled environments, by the name they are served under. */
export const gallery: Readonly<typeof environments & Record<string, () => Environment>> = environments;
