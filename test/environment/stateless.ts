import { environment } from "biplane";
import type { Environment } from "biplane";
import type { EnvironmentOptions } from "../../packages/core/src/environment/options.ts";

/** An environment without a state, for tests of its tools. */
export function stateless(options: StatelessOptions): Environment {
  return environment({ version: "1.0.0", start: () => ({}), observe: () => ({}), ...options });
}

type StatelessOptions = Omit<EnvironmentOptions<object, undefined, undefined>, "version" | "start" | "observe">;
