import { defineCommand } from "citty";
import { BiplaneError } from "../errors.ts";
import { writeRunFolder } from "../rollout/export/run-folder.ts";
import { make } from "../rollout/make.ts";
import { rollout } from "../rollout/rollout.ts";
import { findRun, readTraces } from "../rollout/run.ts";
import type { Run } from "../rollout/run.ts";
import { scoreTraces, totalReward } from "../rollout/score/scorer.ts";
import type { Scorer } from "../rollout/score/scorer.ts";
import { shortfall, summarize } from "../rollout/score/summary.ts";
import type { Store } from "../store/store.ts";
import { agentArgs, openAgent } from "./judge/agent.ts";
import { Progress } from "./judge/progress.ts";
import { report } from "./judge/report.ts";
import { chooseRun, openRuns, storeArgs } from "./judge/runs-store.ts";
import { kindOf, openRows, openTarget, rowArgs, targetArgs, wholeNumber } from "./judge/target.ts";
import type { RunSettings } from "./judge/target.ts";
import { loadModule } from "./load-module.ts";

const args = {
  ...targetArgs,
  ...rowArgs,
  ...agentArgs,
  ...storeArgs,
  steps: { type: "string", description: "The most steps of one rollout", default: "512" },
  concurrency: { type: "string", description: "How many are played at once", default: "8" },
  repetitions: { type: "string", description: "How often each row is played", default: "1" },
  fork: { type: "boolean", description: "Repetitions begin from one forked episode", default: false },
  style: {
    type: "string",
    description: "How observations are shown: json, or python as Eval Protocol has it",
    default: "json",
  },
  resume: { type: "string", description: "Go on with this run, with the settings it was begun with" },
  record: { type: "string", description: "Write a recording that can be played back" },
  "trace-file": { type: "string", description: "A JSONL file for traces, beside the store" },
  "openai-log": { type: "string", description: "A line for every rollout that the environment ended" },
  scorer: { type: "string", description: "A file that exports a scorer; left out, the total reward is the score" },
  export: { type: "string", description: "A folder to write the run into" },
  threshold: { type: "string", description: "End with 1 where the mean score is below this" },
  "max-standard-error": { type: "string", description: "End with 1 where the standard error is above this" },
} as const;

/** `biplane rollout --env frozen-lake --agent random -n 200`: plays rows, keeps what happened, says what it came to. */
export const rolloutCommand = defineCommand({
  meta: { name: "rollout", description: "Let an agent play environments, and judge what it did" },
  args,
  run: async ({ args: given }) => {
    await using store = openRuns(given);
    const before = given.resume === undefined ? undefined : await chooseRun(store, given.resume);
    const settings = { ...(before?.settings ?? settingsOf(given)) } as RunSettings;
    const run = await play(store, settings, { ...given, before });
    await judge(store, run, given);
  },
});

interface PlayArgs {
  readonly concurrency: string;
  readonly record?: string | undefined;
  readonly "trace-file"?: string | undefined;
  readonly "openai-log"?: string | undefined;
  readonly before: Run | undefined;
}

async function play(store: Store, settings: RunSettings, given: PlayArgs): Promise<Run> {
  const { target, close } = await openTarget(settings);
  const { agent, user } = await openAgent(settings);
  const stop = new AbortController();
  const onInterrupt = () => {
    process.once("SIGINT", () => process.exit(130));
    stop.abort(new BiplaneError("CANCELLED", "stopped by Ctrl-C"));
  };
  process.once("SIGINT", onInterrupt);
  const begun = { id: "" };
  let progress: Progress | undefined;
  try {
    const rows = await openRows(target, settings);
    await using envs = await make(target, { rows, ...kindOf(settings) });
    const files = { record: given.record, traceFile: given["trace-file"], openaiFormatLogFile: given["openai-log"] };
    const played = rollout(envs, {
      ...present(files),
      agent,
      ...(user && { user }),
      steps: wholeNumber("steps", settings["steps"] ?? "512", 1),
      concurrency: wholeNumber("concurrency", given.concurrency, 1),
      repetitions: wholeNumber("repetitions", settings["repetitions"] ?? "1", 1),
      fork: settings["fork"] === true,
      style: settings["style"] === "python" ? "python" : "json",
      store,
      settings,
      ...(given.before && { run: given.before.id, resume: true }),
      signal: stop.signal,
      onRun: (run, jobs) => {
        begun.id = run.id;
        progress = new Progress(jobs);
      },
    });
    for await (const row of played) progress?.add(row.trace);
  } finally {
    progress?.end();
    process.off("SIGINT", onInterrupt);
    await close();
  }
  if (stop.signal.aborted) process.stderr.write(`Stopped. Go on with: biplane rollout --resume ${begun.id}\n`);
  return findRun(store, begun.id);
}

interface JudgeArgs {
  readonly scorer?: string | undefined;
  readonly export?: string | undefined;
  readonly threshold?: string | undefined;
  readonly "max-standard-error"?: string | undefined;
}

async function judge(store: Store, run: Run, given: JudgeArgs): Promise<void> {
  const scorer = given.scorer === undefined ? totalReward : await loadScorer(given.scorer);
  const scored = await scoreTraces(await readTraces(store, run.id), scorer);
  const summary = summarize(scored);
  process.stdout.write(`${report(run, summary)}\n`);
  if (given.export !== undefined) await writeRunFolder(given.export, run, scored);
  const most = given["max-standard-error"];
  if (given.threshold !== undefined || most !== undefined) {
    const success = given.threshold === undefined ? -Infinity : Number(given.threshold);
    const why = shortfall(summary, { success, ...(most !== undefined && { standardError: Number(most) }) });
    if (why !== undefined) throw new BiplaneError("EXECUTION_ERROR", `the run fails: ${why}`);
  }
  if (run.status !== "finished") process.exitCode = 130;
}

async function loadScorer(file: string): Promise<Scorer> {
  const { default: scorer } = await loadModule(file);
  if (typeof scorer === "function") return scorer as Scorer;
  throw new BiplaneError("INVALID_DEFINITION", `${file} must have a function as its default export: (trace) => score`);
}

/** What is needed to play the same again. No secret is among it: keys are named, not given. */
function settingsOf(given: Readonly<Record<string, unknown>>): RunSettings {
  const kept = [
    ...Object.keys(targetArgs),
    ...Object.keys(rowArgs),
    ...Object.keys(agentArgs),
    "steps",
    "repetitions",
    "fork",
    "style",
  ];
  return Object.fromEntries(
    kept.flatMap((key) => (given[key] === undefined ? [] : [[key, given[key] as string | boolean]])),
  );
}

function present<T extends object>(options: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>;
  };
}
