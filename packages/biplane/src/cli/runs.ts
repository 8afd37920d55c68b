import { argument, command, count, option, runs } from "./command/define.ts";
import { cancelQueuedRun } from "../queue/cancel-run.ts";
import { playingCounts } from "../queue/queue-tables.ts";
import { deleteRun, describeRun, isActive, isQueued, listRuns, shownStatus } from "../store/runs/run.ts";
import type { StoredRun } from "../store/runs/run.ts";
import { figuresOf, totalsOf } from "../store/runs/run-figures.ts";
import { dollars, percent, precise, uncertainty } from "../rollout/score/figure-text.ts";
import { inputError } from "./command/exit-code.ts";
import { followRun, queueText } from "./rollout/follow-run.ts";
import { playerName, runReport } from "./rollout/report.ts";
import { chooseRun, openRuns, runDescription, runsStoreArgs } from "./rollout/runs-store.ts";
import { table } from "./terminal/format.ts";

const run = argument(runDescription, { takes: runs, required: true });

const rename = command("Name or rename a run", {
  args: {
    run,
    name: argument("The name; an empty one removes it"),
    ...runsStoreArgs,
  },
  run: async ({ args }) => {
    await using store = await openRuns(args);
    const { id } = await chooseRun(store, args.run);
    await describeRun(store, id, { name: args.name.trim().slice(0, 200) });
    process.stdout.write(
      args.name.trim() === "" ? `${id} has no name now.\n` : `${id} is named ${args.name.trim()}.\n`,
    );
  },
});

const tag = command("Set the tags of a run", {
  args: {
    run,
    tags: argument("Comma-separated tags; an empty text removes them"),
    ...runsStoreArgs,
  },
  run: async ({ args }) => {
    await using store = await openRuns(args);
    const { id } = await chooseRun(store, args.run);
    const tags = args.tags.split(",").flatMap((word) => word.trim().slice(0, 100) || []);
    await describeRun(store, id, { tags });
    process.stdout.write(tags.length === 0 ? `${id} has no tags now.\n` : `${id} has the tags ${tags.join(", ")}.\n`);
  },
});

const remove = command("Delete a run with its rollouts, traces and scores", {
  args: { run, ...runsStoreArgs },
  run: async ({ args }) => {
    await using store = await openRuns(args);
    const { id, ended } = await chooseRun(store, args.run);
    await deleteRun(store, id);
    process.stdout.write(`Deleted ${id} and its ${ended} rollouts.\n`);
  },
});

const cancel = command("Cancel a queued run", {
  args: { run, ...runsStoreArgs },
  run: async ({ args }) => {
    await using store = await openRuns(args);
    const found = await chooseRun(store, args.run);
    if (!isActive(found)) throw inputError(`The run ${found.id} is over: it is ${found.status}.`);
    if (!isQueued(found))
      throw inputError(`The run ${found.id} is played by the process ${found.pid}. Press Ctrl-C there.`);
    const removed = await cancelQueuedRun(store, found.id);
    process.stdout.write(`Cancelled ${found.id}. ${removed} rollouts are not played any more.\n`);
  },
});

const watch = command("Show the progress of a queued run until it ends", {
  args: { run, ...runsStoreArgs },
  run: async ({ args }) => {
    await using store = await openRuns(args);
    const over = await followRun(store, await chooseRun(store, args.run));
    process.stdout.write(`${runReport(over, (await figuresOf(store, over)).summary)}\n`);
  },
});

/** `biplane runs` */
export const runsCommand = command("List runs, newest last", {
  args: {
    ...runsStoreArgs,
    limit: option("Maximum number of runs", { takes: count, default: "20" }),
    tag: option("Only runs with this tag"),
  },
  subCommands: { rename, tag, cancel, watch, delete: remove },
  run: async ({ args }) => {
    await using store = await openRuns(args);
    const runs = await listRuns(store, { limit: Number(args.limit), tag: args.tag });
    if (runs.length === 0) {
      process.stdout.write(
        args.tag === undefined
          ? "No runs yet. Start one: biplane rollout --env frozen-lake --agent random -n 20\n"
          : `No run has the tag ${args.tag}. Tag one: biplane runs tag last ${args.tag}\n`,
      );
      return;
    }
    const hasTags = runs.some(({ tags }) => tags.length > 0);
    const rows: string[][] = [];
    const playing = await playingCounts(store);
    for (const run of runs) {
      const { mean, standardError, passRate, masked, cost } = totalsOf((await figuresOf(store, run)).summary);
      const facts = [
        statusOf(run, playing.get(run.id) ?? 0),
        run.target,
        playerName(run),
        `${run.finished}/${run.rows * run.repetitions}`,
        precise(mean),
        standardError === null ? "" : uncertainty(standardError),
        passRate === null ? "–" : percent(passRate),
        String(run.failed),
        String(masked),
        cost === null ? "–" : dollars(cost),
      ];
      rows.push([run.id, run.name ?? "", ...facts, ...(hasTags ? [run.tags.join(" ")] : [])]);
    }
    const head = [
      "run",
      "name",
      "status",
      "target",
      "model",
      "rollouts",
      "reward",
      "±",
      "pass",
      "failed",
      "masked",
      "cost",
      ...(hasTags ? ["tags"] : []),
    ];
    process.stdout.write(`${table(head, rows)}\n`);
  },
});

function statusOf(run: StoredRun, playing: number): string {
  if (isQueued(run) && isActive(run)) return `${run.status} (${queueText(run, playing)})`;
  return shownStatus(run);
}
