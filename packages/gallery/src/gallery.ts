import type { Environment } from "@biplane/core";
import { broadbandSupport } from "./broadband-support/broadband-support.ts";
import type { BroadbandSupportOptions } from "./broadband-support/broadband-support.ts";
import { blackjack } from "./blackjack/blackjack.ts";
import { catchBall } from "./catch/catch.ts";
import { cliffWalking } from "./cliff-walking/cliff-walking.ts";
import { connectFour } from "./connect-four/connect-four.ts";
import { echo } from "./echo/echo.ts";
import { echoTyped } from "./echo-typed/echo-typed.ts";
import { frozenLake } from "./frozen-lake/frozen-lake.ts";
import type { FrozenLakeOptions } from "./frozen-lake/frozen-lake.ts";
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
  "broadband-support": broadbandSupport,
  waiting,
};

/** Options of the bundled environments. Each uses those that concern it. */
export type GalleryOptions = FrozenLakeOptions & Pick<BroadbandSupportOptions, "user">;

/** The bundled environments, by the name they are served under. */
export const gallery: Readonly<typeof environments & Record<string, (options?: GalleryOptions) => Environment>> =
  environments;

export { broadbandServer } from "./broadband-support/broadband-server.ts";
export type { BroadbandServerOptions } from "./broadband-support/broadband-server.ts";
export { broadbandSupport } from "./broadband-support/broadband-support.ts";
export type { BroadbandSupportOptions } from "./broadband-support/broadband-support.ts";
export type { SupportTask } from "./broadband-support/support-task.ts";
export { askUser, conversationFailure, messagesForUser } from "./simulated-user.ts";
export type { SpokenEvent, UserMessage, UserSimulator, UserTool, UserTurn, UserView } from "./simulated-user.ts";
