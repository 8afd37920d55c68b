import { argument, command, count, option, runs } from "./command/define.ts";
import { compareRuns } from "../rollout/score/compare.ts";
import { showEstimate } from "./rollout/report.ts";
import { chooseRun, openRuns, runDescription, runName, runsStoreArgs } from "./rollout/runs-store.ts";
import { scoredTraces, scoringArgs } from "./rollout/scored-traces.ts";
import { short, table } from "./terminal/format.ts";
import { cleanLine } from "./terminal/clean-text.ts";

/** `biplane compare A B` */
export const compareCommand = command("Compare two runs row by row", {
  args: {
    first: argument(runDescription, { takes: runs, required: true }),
    second: argument("Another run", { takes: runs, required: true }),
    limit: option("Maximum number of rows to show", { takes: count, default: "20" }),
    ...scoringArgs,
    ...runsStoreArgs,
  },
  run: async ({ args }) => {
    await using store = await openRuns(args);
    const runs = [await chooseRun(store, args.first), await chooseRun(store, args.second)] as const;
    const [one, other] = await Promise.all(runs.map(({ id }) => scoredTraces(store, id, args.scoring)));
    const { rows, difference, better, worse, equal, onlyFirst, onlySecond, masked } = compareRuns(
      one ?? [],
      other ?? [],
    );
    const changed = rows
      .filter((row) => row.difference !== 0)
      .sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
    const lines = changed
      .slice(0, Number(args.limit))
      .map((row) => [
        row.rowId,
        short(row.first),
        short(row.second),
        `${row.difference > 0 ? "+" : ""}${short(row.difference)}`,
        ...row.endings,
      ]);
    const report = [
      cleanLine(`First: ${runName(runs[0])}, second: ${runName(runs[1])}`),
      `${args.scoring === undefined ? "Reward" : "Score"} difference, second − first: ${showEstimate(difference)}`,
      `The second is better in ${better} rows, worse in ${worse}, equal in ${equal}.`,
      ...(onlyFirst.length + onlySecond.length > 0
        ? [`Rows only in the first: ${onlyFirst.length}, only in the second: ${onlySecond.length}.`]
        : []),
      ...(masked.length > 0
        ? [`Rows without a score in one of the runs: ${masked.length}. They are not compared.`]
        : []),
      ...(lines.length > 0
        ? ["", table(["row", "first", "second", "difference", "first ended", "second ended"], lines)]
        : []),
    ];
    process.stdout.write(`${report.join("\n")}\n`);
  },
});
