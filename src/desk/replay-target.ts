import type { Environment } from "../environment/environment.ts";
import type { Run } from "../rollout/run.ts";
import type { Trace } from "../rollout/trace.ts";

/**
 * The environment that is served here in which a trace can be played again: the one it was played in by name or address,
 * else the only one that has all its tools. Why there is none, where there is none.
 */
export function replayTarget(
  environments: readonly Environment[],
  run: Run,
  trace: Pick<Trace, "tools" | "seed">,
): Environment | string {
  if (trace.tools.length === 0) return "The trace has no tools: the rollout failed before it began";
  if (trace.seed === null) return "The trace does not say by which seed it was played, so it cannot be played again";
  const fitting = environments.filter((environment) =>
    trace.tools.every((tool) => hasTool(environment, tool.function.name)),
  );
  const named = fitting.find(({ name }) => isNamed(name, run));
  const chosen = named ?? (fitting.length === 1 ? fitting[0] : undefined);
  if (chosen) return chosen;
  const tools = trace.tools.map((tool) => tool.function.name.slice(0, 64));
  const wanted = `It was played in ${shownTarget(run.target)} with ${tools.slice(0, 8).join(", ")}`;
  if (fitting.length === 0) return `No environment that is served here has the tools of this trace. ${wanted}`;
  const names = fitting.map(({ name }) => name).join(", ");
  return `Several environments that are served here have the tools of this trace: ${names}. ${wanted}`;
}

/** The name under which OpenEnv offers the only tool of an environment with an action of its own. */
export const typedAction = "act";

/** An address without what may be a key: a token in the path, a password, whatever is asked after it. */
export function shownTarget(target: string): string {
  return target
    .slice(0, 500)
    .replace(/\/k\/[^/?#]+/, "/k/…")
    .replace(/\/\/[^/?#]*@/, "//…@")
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^?#]*[?#]).+$/is, "$1…");
}

function hasTool({ server, rules }: Environment, name: string): boolean {
  return server.find(name) !== undefined || (name === typedAction && rules.options.action !== undefined);
}

function isNamed(name: string, { target, settings }: Run): boolean {
  return (
    target === name ||
    settings?.["env"] === name ||
    new RegExp(`/env/${name.replaceAll(/[^\w-]/g, "\\$&")}(/|$)`).test(target)
  );
}
