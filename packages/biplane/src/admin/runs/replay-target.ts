import type { Environment } from "@biplane/core";
import { typedAction } from "@biplane/core/internal";
import type { Run } from "../../store/runs/run.ts";
import type { Trace } from "../../rollout/trace.ts";

/**
 * Finds the environment to replay a trace in: the one with the run's name or address, or else the only one with all its
 * tools. Returns the reason if there is none.
 */
export function replayTarget(
  environments: readonly Environment[],
  run: Run,
  trace: Pick<Trace, "tools" | "seed">,
): Environment | string {
  if (trace.tools.length === 0) return "The trace has no tools: the rollout failed before it started.";
  if (trace.seed === null) return "The trace has no seed, so it cannot be replayed.";
  const matching = environments.filter((environment) =>
    trace.tools.every((tool) => hasTool(environment, tool.function.name)),
  );
  const named = matching.find(({ name }) => isNamed(name, run));
  const chosen = named ?? (matching.length === 1 ? matching[0] : undefined);
  if (chosen) return chosen;
  const tools = trace.tools.map((tool) => tool.function.name.slice(0, 64));
  const wanted = `It was recorded in ${redactTarget(run.target)} with the tools ${tools.slice(0, 8).join(", ")}.`;
  if (matching.length === 0) return `No served environment has the tools of this trace. ${wanted}`;
  const names = matching.map(({ name }) => name).join(", ");
  return `Several served environments have the tools of this trace: ${names}. ${wanted}`;
}

/** Removes possible credentials from a URL: tokens in the path, passwords, query and fragment. */
export function redactTarget(target: string): string {
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
    settings?.["target"] === name ||
    new RegExp(`/env/${name.replaceAll(/[^\w-]/g, "\\$&")}(/|$)`).test(target)
  );
}
