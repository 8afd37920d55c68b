import { argument, command, countFromOne, oneOf, option } from "./command/define.ts";
import { existsSync } from "node:fs";
import { BiplaneError } from "@biplane/core";
import { showDivergence } from "../rollout/divergence.ts";
import { make } from "../rollout/make.ts";
import { replayTraces } from "../rollout/replay.ts";
import { rollout } from "../rollout/rollout.ts";
import { randomAgent } from "../rollout/agent/random.ts";
import { readRecording } from "../rollout/eval-protocol-recording.ts";
import { readTraces } from "../store/runs/rollouts.ts";
import type { Trace } from "../rollout/trace.ts";
import { connectOptions } from "./target/connect-args.ts";
import type { ConnectEnvironmentOptions } from "@biplane/core/client";
import { chooseRun, openRuns, runsStoreArgs } from "./rollout/runs-store.ts";
import {
  targetKind,
  openRows,
  openRolloutTarget,
  readStyle,
  readTargetSettings,
  hasTarget,
  rowArgs,
  rolloutTargetArgs,
  wholeNumber,
} from "./rollout/rollout-target.ts";
import type { RunSettings } from "./rollout/rollout-target.ts";
import { cleanLine, cleanText } from "./terminal/clean-text.ts";

/** `biplane replay last`: repeats the recorded actions and reports the first difference of each rollout. */
export const replayCommand = command("Repeat the actions of a run or recording, and compare every response", {
  args: {
    trace: argument("A run: its name, its id or last; or a recording in Eval Protocol's format", {
      takes: { kind: "recordings" },
      required: true,
    }),
    row: option("Replay only this row: its id or 0-based index"),
    times: option("Number of times to replay", { takes: countFromOne, default: "1" }),
    concurrency: option("Number of rollouts at once", { takes: countFromOne, default: "8" }),
    style: option("For a recording: how observations were formatted, json or python (default: json)", {
      takes: oneOf("json", "python"),
    }),
    ...rolloutTargetArgs,
    rows: rowArgs.rows,
    number: rowArgs.number,
    ...runsStoreArgs,
  },
  run: async ({ args: given, rawArgs }) => {
    const args = { ...given, ...readTargetSettings(given, { positionals: given._.slice(1), rawArgs }) };
    const isFile = existsSync(args.trace) && args.trace.endsWith("l");
    const times = wholeNumber("times", args.times, 1);
    let different = 0;
    let played = 0;
    const onReplayed = (name: string, difference: string | undefined) => {
      played++;
      if (difference === undefined) return;
      different++;
      process.stdout.write(`${cleanLine(name)}: ${cleanText(difference)}\n`);
    };
    for (let time = 0; time < times; time++)
      await (isFile ? replayFile(args, onReplayed) : replayRun(args, onReplayed));
    process.stdout.write(`${played} replayed, ${played - different} identical, ${different} different\n`);
    if (different > 0)
      throw new BiplaneError("EXECUTION_ERROR", "The environment behaves differently than when it was recorded.");
  },
});

type OnReplayed = (name: string, difference: string | undefined) => void;

interface ReplayArgs {
  readonly trace: string;
  readonly row?: string | undefined;
  readonly concurrency: string;
  readonly style?: string | undefined;
  readonly bearer?: string | undefined;
  readonly header?: string | undefined;
  readonly store: string;
  readonly [name: string]: unknown;
}

async function replayRun(args: ReplayArgs, onReplayed: OnReplayed): Promise<void> {
  await using store = await openRuns(args);
  const run = await chooseRun(store, args.trace);
  const settings = { ...run.settings, ...targetOf(args) } as RunSettings;
  const traces = (await readTraces(store, run.id)).filter((trace) => isSelected(trace, args.row));
  const { target, close } = await openRolloutTarget(settings);
  try {
    const style = readStyle({ style: args.style ?? settings["style"] });
    const options = {
      style,
      concurrency: wholeNumber("concurrency", args.concurrency, 1),
      make: optionsOf(settings, args),
    };
    for await (const { original, divergence } of replayTraces(traces, target, options))
      onReplayed(original.rowId, divergence && showDivergence(divergence));
  } finally {
    await close();
  }
}

/** A recording has no rows. They come from `--rows`, or are as many seeds as the recording has rollouts. */
async function replayFile(args: ReplayArgs, onReplayed: OnReplayed): Promise<void> {
  const { target, close } = await openRolloutTarget(targetOf(args));
  try {
    const recording = await readRecording(args.trace);
    const settings = { ...targetOf(args), rows: args["rows"], number: args["number"] ?? String(recording.size) };
    const options = optionsOf(targetOf(args), args);
    const rows = await openRows(target, settings as unknown as RunSettings, options);
    await using envs = await make(target, { rows, ...options });
    const concurrency = wholeNumber("concurrency", args.concurrency, 1);
    const played = rollout(envs, {
      agent: randomAgent(),
      playbackFile: args.trace,
      style: readStyle({ style: args.style }),
      concurrency,
    });
    for await (const { trace } of played)
      onReplayed(trace.rowId, trace.ending.reason === "error" ? trace.ending.message : undefined);
  } finally {
    await close();
  }
}

function targetOf(args: ReplayArgs): RunSettings {
  const { target, command, env, url, servers, kind } = args as RunSettings;
  if (!hasTarget(args as RunSettings)) return kind === undefined ? {} : { kind };
  return { target, command, env, url, servers, kind };
}

function optionsOf(settings: RunSettings, { bearer, header }: ReplayArgs): ConnectEnvironmentOptions {
  return { ...targetKind(settings), ...connectOptions({ bearer, header }) };
}

function isSelected({ rowId, index }: Trace, row: string | undefined): boolean {
  return row === undefined || rowId === row || String(index) === row;
}
