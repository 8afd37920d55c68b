import { defineCommand } from "citty";
import { readTraces } from "../rollout/run.ts";
import { compareRuns } from "../rollout/score/compare.ts";
import { scoreTraces, totalReward } from "../rollout/score/scorer.ts";
import { chooseRun, openRuns, storeArgs } from "./judge/runs-store.ts";
import { short, table } from "./judge/text.ts";
import { cleanLine } from "./terminal/clean-text.ts";

/** `biplane compare A B`: two runs, row by row. */
export const compareCommand = defineCommand({
  meta: { name: "compare", description: "Compare two runs row by row" },
  args: {
    first: { type: "positional", description: "A run", required: true },
    second: { type: "positional", description: "Another", required: true },
    limit: { type: "string", description: "How many rows to show", default: "20" },
    ...storeArgs,
  },
  run: async ({ args }) => {
    await using store = openRuns(args);
    const runs = [await chooseRun(store, args.first), await chooseRun(store, args.second)] as const;
    const [one, other] = await Promise.all(
      runs.map(async ({ id }) => scoreTraces(await readTraces(store, id), totalReward)),
    );
    const { rows, difference, better, worse, equal, onlyFirst, onlySecond } = compareRuns(one ?? [], other ?? []);
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
    const [low, high] = difference.interval;
    const report = [
      cleanLine(`${runs[0].id} (${runs[0].model}) and ${runs[1].id} (${runs[1].model})`),
      `second less first: ${short(difference.mean)} ± ${short(difference.standardError)}  (95 %: ${short(low)} to ${short(high)})`,
      `better in ${better} rows, worse in ${worse}, equal in ${equal}`,
      ...(onlyFirst.length + onlySecond.length > 0
        ? [`${onlyFirst.length} rows only in the first, ${onlySecond.length} only in the second`]
        : []),
      ...(lines.length > 0
        ? ["", table(["row", "first", "second", "difference", "first ended", "second ended"], lines)]
        : []),
    ];
    process.stdout.write(`${report.join("\n")}\n`);
  },
});
