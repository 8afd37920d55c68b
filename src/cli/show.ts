import { defineCommand } from "citty";
import { BiplaneError } from "../errors.ts";
import { readTraces } from "../rollout/run.ts";
import { scoreTraces, totalReward } from "../rollout/score/scorer.ts";
import { summarize } from "../rollout/score/summary.ts";
import type { Trace } from "../rollout/trace.ts";
import { report } from "./judge/report.ts";
import { chooseRun, openRuns, storeArgs } from "./judge/runs-store.ts";
import { transcript } from "./judge/transcript.ts";
import { showJson } from "./target/show-result.ts";

/** `biplane show last`: what a run came to, and one of its rollouts to be read. */
export const showCommand = defineCommand({
  meta: { name: "show", description: "Show a run, and one of its rollouts step by step" },
  args: {
    run: { type: "positional", description: "A run's name, how it begins, or last", required: true },
    row: { type: "string", description: "Which row: its id or its number from 0; the first unless given" },
    repetition: { type: "string", description: "Which repetition, from 0", default: "0" },
    json: { type: "boolean", description: "The trace itself, as JSON", default: false },
    ...storeArgs,
  },
  run: async ({ args }) => {
    await using store = openRuns(args);
    const run = await chooseRun(store, args.run);
    const traces = await readTraces(store, run.id);
    const trace = chooseTrace(traces, { row: args.row, repetition: Number(args.repetition) });
    if (args.json) {
      process.stdout.write(`${showJson(trace)}\n`);
      return;
    }
    const summary = summarize(await scoreTraces(traces, totalReward));
    const hasColours = process.stdout.isTTY && process.env["NO_COLOR"] === undefined;
    process.stdout.write(
      `${report(run, summary)}\n\n${trace ? transcript(trace, { hasColours }) : "Nothing was played."}\n`,
    );
  },
});

function chooseTrace(
  traces: readonly Trace[],
  wanted: { row: string | undefined; repetition: number },
): Trace | undefined {
  const ordered = traces.toSorted((a, b) => a.index - b.index || a.repetition - b.repetition);
  if (wanted.row === undefined) return ordered[0];
  const found = ordered.filter(({ rowId, index }) => rowId === wanted.row || String(index) === wanted.row);
  const trace = found.find(({ repetition }) => repetition === wanted.repetition) ?? found[0];
  if (trace) return trace;
  throw new BiplaneError("INVALID_INPUT", `the run has no row ${wanted.row}`);
}
