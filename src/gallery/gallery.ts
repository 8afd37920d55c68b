import type { Environment } from "../environment/environment.ts";
import { frozenLake } from "./frozen-lake/frozen-lake.ts";

/** The environments that come with Biplane, by the name they are served under. */
export const gallery: Readonly<Record<string, () => Environment>> = {
  "frozen-lake": frozenLake,
};
