import { BiplaneError } from "@biplane/core";
import { make } from "../rollout/make.ts";
import { rollout } from "../rollout/rollout.ts";
import { findRun } from "../store/runs/run.ts";
import type { Run } from "../store/runs/run.ts";
import type { SqlStore } from "../store/sql-store.ts";
import { command } from "./command/define.ts";
import { evaluate, readEvaluation } from "./rollout/evaluation.ts";
import { openAgent } from "./rollout/open-agent.ts";
import { openModels, reportCost } from "./rollout/open-models.ts";
import type { Models } from "./rollout/open-models.ts";
import { RolloutProgress } from "./rollout/progress.ts";
import { queueRollout } from "./rollout/queue-rollout.ts";
import { readName, rolloutArgs, settingsOf, withoutUndefined } from "./rollout/rollout-args.ts";
import type { RolloutArgs } from "./rollout/rollout-args.ts";
import { chooseRun, openRuns } from "./rollout/runs-store.ts";
import { openRolloutTarget, openRows, readStyle, targetKind, wholeNumber } from "./rollout/rollout-target.ts";
import type { RunSettings } from "./rollout/rollout-target.ts";
import { connectOptions } from "./target/connect-args.ts";

/** `biplane rollout frozen-lake --agent random -n 200`: plays rows, stores the traces, prints a summary. */
export const rolloutCommand = command("Let an agent play environments, and score it", {
  args: rolloutArgs,
  run: async ({ args: given, rawArgs }) => {
    if (given.queue) return queueRollout(given, rawArgs);
    const own = given.resume === undefined ? settingsOf(given, rawArgs) : {};
    await using store = await openRuns(given);
    const before = given.resume === undefined ? undefined : await chooseRun(store, given.resume);
    const settings = { ...(before?.settings ?? own), ...withoutUndefined(budgetOf(given)) } as RunSettings;
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

type PlayArgs = Omit<RolloutArgs, "pass"> & {
  readonly pass: number | undefined;
  readonly before: Run | undefined;
  readonly models: Models;
};

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
      ...withoutUndefined({ ...files, ...facts }),
      agent,
      ...(user && { user }),
      steps: wholeNumber("steps", settings["steps"] ?? "512", 1),
      concurrency: wholeNumber("concurrency", given.concurrency ?? "8", 1),
      repetitions: wholeNumber("repetitions", settings["repetitions"] ?? "1", 1),
      fork: settings["fork"] === true,
      retries: wholeNumber("retries", given.retries, 0),
      style: readStyle(settings),
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
function budgetOf(given: RolloutArgs): RunSettings {
  return { "max-cost": given["max-cost"] };
}
