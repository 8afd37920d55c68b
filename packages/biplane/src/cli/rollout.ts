import { command, count, countFromOne, file, toggle, folder, number, oneOf, option, runs } from "./command/define.ts";
import type { GivenArgs } from "./command/define.ts";
import { BiplaneError } from "@biplane/core";
import { make } from "../rollout/make.ts";
import { rollout } from "../rollout/rollout.ts";
import { findRun } from "../store/runs/run.ts";
import type { Run } from "../store/runs/run.ts";
import type { SqlStore } from "../store/sql-store.ts";
import { usageError } from "./command/exit-code.ts";
import { evaluate, readEvaluation } from "./rollout/evaluation.ts";
import { agentArgs, openAgent } from "./rollout/open-agent.ts";
import { judgeArgs, openModels, reportCost, userArgs } from "./rollout/open-models.ts";
import type { Models } from "./rollout/open-models.ts";
import { RolloutProgress } from "./rollout/progress.ts";
import { scorerDescription } from "./rollout/load-scorer.ts";
import { chooseRun, openRuns, runsStoreArgs } from "./rollout/runs-store.ts";
import {
  targetKind,
  openRows,
  openRolloutTarget,
  readTargetSettings,
  rowArgs,
  rolloutTargetArgs,
  wholeNumber,
  writtenTarget,
} from "./rollout/rollout-target.ts";
import type { RunSettings } from "./rollout/rollout-target.ts";
import { connectOptions } from "./target/connect-args.ts";

const args = {
  ...rolloutTargetArgs,
  ...rowArgs,
  ...agentArgs,
  ...userArgs,
  ...judgeArgs,
  ...runsStoreArgs,
  name: option("A name for the run, for show, compare, replay and --resume"),
  steps: option("Maximum number of steps per rollout", { takes: countFromOne, default: "512" }),
  concurrency: option("Number of rollouts at once", { takes: countFromOne, default: "8" }),
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
  pass: option("Least score with which a rollout passes (default: any score above 0)"),
  export: option("Export the run to this new folder", { takes: folder }),
  "max-masked": option("Exit with 1 if a greater share of the rollouts has no score, because something failed", {
    takes: number,
    default: "0.05",
  }),
  retries: option("How often to repeat a rollout after a failure of the model, the judge or the infrastructure", {
    takes: count,
    default: "0",
  }),
  threshold: option("Exit with 1 if the mean score is lower", { takes: number }),
  "max-standard-error": option("Exit with 1 if the standard error is higher", { takes: number }),
} as const;

/** `biplane rollout frozen-lake --agent random -n 200`: plays rows, stores the traces, prints a summary. */
export const rolloutCommand = command("Let an agent play environments, and score it", {
  args,
  run: async ({ args: given, rawArgs }) => {
    const own = given.resume === undefined ? settingsOf(given, rawArgs) : {};
    await using store = await openRuns(given);
    const before = given.resume === undefined ? undefined : await chooseRun(store, given.resume);
    const settings = { ...(before?.settings ?? own), ...present(budgetOf(given)) } as RunSettings;
    const models = await openModels(settings);
    const evaluation = await readEvaluation(given, models.judge?.chat);
    try {
      const run = await play(store, settings, { ...given, before, models, pass: evaluation.pass });
      await evaluate(store, run, evaluation);
    } finally {
      reportCost(models.budget);
    }
  },
});

type RolloutArgs = Omit<GivenArgs<typeof args>, "pass"> & { readonly pass: number | undefined };
type PlayArgs = RolloutArgs & { readonly before: Run | undefined; readonly models: Models };

async function play(store: SqlStore, settings: RunSettings, given: PlayArgs): Promise<Run> {
  const { user: customer, judge, budget } = given.models;
  const { target, close } = await openRolloutTarget(settings, { user: customer?.options, judge: judge?.chat });
  const { agent, user } = await openAgent(settings, given.models);
  const stop = new AbortController();
  const onInterrupt = () => {
    process.once("SIGINT", () => process.exit(130));
    stop.abort(new BiplaneError("CANCELLED", "Stopped by Ctrl-C."));
  };
  process.once("SIGINT", onInterrupt);
  const started = { id: "" };
  let progress: RolloutProgress | undefined;
  try {
    const options = { ...targetKind(settings), ...connectOptions(given) };
    const rows = await openRows(target, settings, options);
    await using envs = await make(target, { rows, ...options });
    const files = { record: given.record, traceFile: given["trace-file"], openaiFormatLogFile: given["openai-log"] };
    // The page knows only rewards, so a limit for the scores of a scorer is not saved.
    const facts = { name: readName(given.name), pass: given.scorer === undefined ? given.pass : undefined };
    const played = rollout(envs, {
      ...present({ ...files, ...facts }),
      agent,
      ...(user && { user }),
      steps: wholeNumber("steps", settings["steps"] ?? "512", 1),
      concurrency: wholeNumber("concurrency", given.concurrency, 1),
      repetitions: wholeNumber("repetitions", settings["repetitions"] ?? "1", 1),
      fork: settings["fork"] === true,
      retries: wholeNumber("retries", given.retries, 0),
      style: settings["style"] === "python" ? "python" : "json",
      store,
      settings,
      ...(given.before && { run: given.before.id, resume: true }),
      signal: budget ? AbortSignal.any([stop.signal, budget.signal]) : stop.signal,
      onRun: (run, jobs) => {
        started.id = run.id;
        progress = new RolloutProgress(jobs);
      },
    });
    for await (const row of played) progress?.add(row.trace);
  } finally {
    progress?.end();
    process.off("SIGINT", onInterrupt);
    await close();
  }
  if (stop.signal.aborted || budget?.signal.aborted)
    process.stderr.write(`Stopped. Resume with: biplane rollout --resume ${started.id}\n`);
  return findRun(store, started.id);
}

/** A budget is for one command: a run that is resumed gets a new one. */
function budgetOf(given: GivenArgs<typeof args>): RunSettings {
  return { "max-cost": given["max-cost"] };
}

/** Names are looked up where ids and \`last\` are, so they must not be mistaken for one. */
function readName(name: string | undefined): string | undefined {
  if (name === undefined || (/^\S.{0,98}$/u.test(name) && name !== "last")) return name;
  throw usageError(`--name must be 1 to 99 characters and not "last", not ${JSON.stringify(name)}.`);
}

/** The settings that resume and replay need. They hold no secret: `--key` is the name of one, `--bearer` is not kept. */
function settingsOf(given: Readonly<Record<string, unknown>>, rawArgs: readonly string[]): RunSettings {
  const target = readTargetSettings(given, { positionals: given["_"] as string[], rawArgs });
  writtenTarget(target); // says what is wrong with it before anything is opened
  const models = [...Object.keys(agentArgs), ...Object.keys(userArgs), "judge-model", "judge-key", "prices"];
  const kept = [...Object.keys(rowArgs), ...models, "steps", "repetitions", "fork", "style"];
  const others = Object.fromEntries(kept.map((key) => [key, given[key] as string | boolean | undefined]));
  return present({ ...target, ...others });
}

function present<T extends object>(options: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>;
  };
}
