import { parseArgs } from "citty";
import {
  count,
  countFromOne,
  file,
  folder,
  number,
  oneOf,
  option,
  runs,
  toggle,
  wholeNumberArg,
} from "../command/define.ts";
import type { GivenArgs } from "../command/define.ts";
import { usageError } from "../command/exit-code.ts";
import { agentArgs } from "./open-agent.ts";
import { judgeArgs, userArgs } from "./open-models.ts";
import { scorerDescription } from "./load-scorer.ts";
import { runsStoreArgs } from "./runs-store.ts";
import { readTargetSettings, rolloutTargetArgs, rowArgs, writtenTarget } from "./rollout-target.ts";
import type { RunSettings } from "./rollout-target.ts";

/** Options of `biplane rollout`. */
export const rolloutArgs = {
  ...rolloutTargetArgs,
  ...rowArgs,
  ...agentArgs,
  ...userArgs,
  ...judgeArgs,
  ...runsStoreArgs,
  name: option("A name for the run, for show, compare, replay and --resume"),
  steps: option("Maximum number of steps per rollout", { takes: countFromOne, default: "512" }),
  concurrency: option("Number of rollouts at once (default: 8; with --queue: no limit)", { takes: countFromOne }),
  repetitions: option("Number of rollouts per row", { takes: countFromOne, default: "1" }),
  fork: toggle("Fork the repetitions of a row from one episode"),
  style: option("How observations are formatted: json, or python as in Eval Protocol", {
    takes: oneOf("json", "python"),
    default: "json",
  }),
  resume: option("Resume this run with its original settings", { takes: runs }),
  record: option("Write a recording for --agent playback:FILE", { takes: file }),
  "trace-file": option("Also write traces to this JSONL file", { takes: file }),
  "openai-log": option("Log finished rollouts to this file, in OpenAI's format", { takes: file }),
  scorer: option(scorerDescription, { takes: file }),
  pass: option("Lowest passing score (default: any score above 0)"),
  export: option("Export the run to this new folder", { takes: folder }),
  "max-masked": option("Exit with 1 if a greater share of the rollouts has no score because of a failure", {
    takes: number,
    default: "0.05",
  }),
  retries: option("How many times to retry a rollout after a failure of the model, the judge or the infrastructure", {
    takes: count,
    default: "0",
  }),
  threshold: option("Exit with 1 if the mean score is lower", { takes: number }),
  "max-standard-error": option("Exit with 1 if the standard error is higher", { takes: number }),
  queue: toggle("Queue the run for the workers of a Postgres store; see biplane worker"),
  wait: toggle("With --queue: return at once, and leave the run to the workers", { default: true }),
  priority: option("With --queue: runs with a higher number are played first", { takes: wholeNumberArg, default: "0" }),
} as const;

export type RolloutArgs = GivenArgs<typeof rolloutArgs>;

/** Reads the words after `biplane rollout`. */
export function parseRolloutArgs(words: readonly string[]): RolloutArgs {
  return parseArgs<typeof rolloutArgs>([...words], rolloutArgs);
}

/** Names are looked up where ids and \`last\` are, so they must not be mistaken for one. */
export function readName(name: string | undefined): string | undefined {
  if (name === undefined || (/^\S.{0,98}$/u.test(name) && name !== "last")) return name;
  throw usageError(`--name must be 1 to 99 characters and not "last", not ${JSON.stringify(name)}.`);
}

/** The settings that resume and replay need. They hold no secret: `--key` is the name of one, `--bearer` is not kept. */
export function settingsOf(given: Readonly<Record<string, unknown>>, rawArgs: readonly string[]): RunSettings {
  const target = readTargetSettings(given, { positionals: given["_"] as string[], rawArgs });
  writtenTarget(target); // says what is wrong with it before anything is opened
  const models = [...Object.keys(agentArgs), ...Object.keys(userArgs), "judge-model", "judge-key", "prices"];
  const kept = [...Object.keys(rowArgs), ...models, "steps", "repetitions", "fork", "style"];
  const others = Object.fromEntries(kept.map((key) => [key, given[key] as string | boolean | undefined]));
  return withoutUndefined({ ...target, ...others });
}

/** The options that have a value. */
export function withoutUndefined<T extends object>(options: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>;
  };
}
