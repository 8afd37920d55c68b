import { existsSync } from "node:fs";
import { defineCommand } from "citty";
import { BiplaneError } from "../errors.ts";
import { showDivergence } from "../rollout/divergence.ts";
import { make } from "../rollout/make.ts";
import { replayTraces } from "../rollout/replay.ts";
import { rollout } from "../rollout/rollout.ts";
import { randomAgent } from "../rollout/agent/random.ts";
import { readRecording } from "../rollout/recording.ts";
import { readTraces } from "../rollout/run.ts";
import type { TextStyle } from "../rollout/template.ts";
import type { Trace } from "../rollout/trace.ts";
import { chooseRun, openRuns, storeArgs } from "./judge/runs-store.ts";
import { kindOf, openRows, openTarget, rowArgs, targetArgs, wholeNumber } from "./judge/target.ts";
import type { RunSettings } from "./judge/target.ts";
import { safeText } from "./judge/text.ts";

/** `biplane replay last`: plays what was recorded once more, and says where it first comes out differently. */
export const replayCommand = defineCommand({
  meta: { name: "replay", description: "Play a run or a recording again, and compare everything that comes back" },
  args: {
    trace: { type: "positional", description: "A run, last, or a recording in Eval Protocol's format", required: true },
    row: { type: "string", description: "Only this row: its id or its number from 0" },
    times: { type: "string", description: "How often", default: "1" },
    concurrency: { type: "string", description: "How many are played at once", default: "8" },
    style: { type: "string", description: "How observations were shown, for a recording: json or python" },
    ...targetArgs,
    rows: rowArgs.rows,
    number: rowArgs.number,
    ...storeArgs,
  },
  run: async ({ args }) => {
    const isFile = existsSync(args.trace) && args.trace.endsWith("l");
    const times = wholeNumber("times", args.times, 1);
    let different = 0;
    let played = 0;
    const tell = (name: string, words: string | undefined) => {
      played++;
      if (words === undefined) return;
      different++;
      process.stdout.write(`${name}: ${safeText(words, false)}\n`);
    };
    for (let time = 0; time < times; time++) await (isFile ? replayFile(args, tell) : replayRun(args, tell));
    process.stdout.write(`${played} played again, ${played - different} the same, ${different} different\n`);
    if (different > 0)
      throw new BiplaneError("EXECUTION_ERROR", "the environment is not what it was when it was recorded");
  },
});

type Tell = (name: string, words: string | undefined) => void;

interface ReplayArgs {
  readonly trace: string;
  readonly row?: string | undefined;
  readonly concurrency: string;
  readonly style?: string | undefined;
  readonly store: string;
  readonly [name: string]: unknown;
}

async function replayRun(args: ReplayArgs, tell: Tell): Promise<void> {
  await using store = openRuns(args);
  const run = await chooseRun(store, args.trace);
  const settings = { ...run.settings, ...targetOf(args) } as RunSettings;
  const traces = (await readTraces(store, run.id)).filter((trace) => isMeant(trace, args.row));
  const { target, close } = await openTarget(settings);
  try {
    const style = styleOf(args.style ?? settings["style"]);
    const options = { style, concurrency: wholeNumber("concurrency", args.concurrency, 1), make: kindOf(settings) };
    for await (const { original, divergence } of replayTraces(traces, target, options))
      tell(original.rowId, divergence && showDivergence(divergence));
  } finally {
    await close();
  }
}

/** A recording knows no rows: they are given, or there is one for each rollout in it. */
async function replayFile(args: ReplayArgs, tell: Tell): Promise<void> {
  const { target, close } = await openTarget(targetOf(args));
  try {
    const recording = await readRecording(args.trace);
    const settings = { ...targetOf(args), rows: args["rows"], number: args["number"] ?? String(recording.size) };
    const rows = await openRows(target, settings as unknown as RunSettings);
    await using envs = await make(target, { rows, ...kindOf(targetOf(args)) });
    const concurrency = wholeNumber("concurrency", args.concurrency, 1);
    const played = rollout(envs, {
      agent: randomAgent(),
      playbackFile: args.trace,
      style: styleOf(args.style),
      concurrency,
    });
    for await (const { trace } of played)
      tell(trace.rowId, trace.ending.reason === "error" ? trace.ending.message : undefined);
  } finally {
    await close();
  }
}

function targetOf(args: ReplayArgs): RunSettings {
  const given = Object.keys(targetArgs).flatMap((key) => (args[key] === undefined ? [] : [[key, args[key]]]));
  if (given.length === 0) return {};
  const nothing = Object.fromEntries(Object.keys(targetArgs).map((key) => [key, undefined]));
  return { ...nothing, ...(Object.fromEntries(given) as RunSettings) };
}

function isMeant({ rowId, index }: Trace, row: string | undefined): boolean {
  return row === undefined || rowId === row || String(index) === row;
}

function styleOf(style: unknown): TextStyle {
  return style === "python" ? "python" : "json";
}
