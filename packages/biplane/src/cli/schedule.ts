import { checkPostgres, openQueue } from "../queue/rollout-queue.ts";
import type { RolloutQueue } from "../queue/rollout-queue.ts";
import { addSchedule, listSchedules, makeDue, removeSchedule } from "../queue/schedules.ts";
import { openStore } from "../store/sql-store.ts";
import { checkArgs } from "./command/check-args.ts";
import { argument, command, option } from "./command/define.ts";
import { usageError } from "./command/exit-code.ts";
import { resolveCommand } from "./command/resolve-command.ts";
import { checkQueueable } from "./rollout/queue-rollout.ts";
import { parseRolloutArgs, settingsOf } from "./rollout/rollout-args.ts";
import { storeArgs, storeLocation } from "./store-args.ts";
import type { StoreArgs } from "./store-args.ts";
import { table } from "./terminal/format.ts";
import { shellQuote } from "./terminal/shell-quote.ts";

const name = argument("The name of the schedule");

const add = command("Schedule a run, or change its schedule", {
  args: {
    name,
    cron: option("When: minute, hour, day of the month, month, day of the week", { required: true }),
    "time-zone": option("The time zone of the times, such as Europe/Berlin", { default: "UTC" }),
    ...storeArgs,
  },
  run: async ({ args, rawArgs }) => {
    const words = rawArgs.includes("--") ? rawArgs.slice(rawArgs.indexOf("--") + 1) : [];
    await checkRun(words);
    await withQueue(args, (queue) =>
      addSchedule(queue, { name: args.name, cron: args.cron, timeZone: args["time-zone"], args: words }),
    );
    process.stdout.write(`Scheduled ${args.name}. Workers start its runs: biplane worker\n`);
  },
});

const list = command("List the schedules", {
  args: storeArgs,
  run: ({ args }) =>
    withQueue(args, async (queue) => {
      const schedules = await listSchedules(queue);
      const rows = schedules.map((each) => [
        each.name,
        each.cron,
        each.timeZone,
        each.next?.toISOString() ?? "never",
        each.args.map(asWord).join(" "),
      ]);
      process.stdout.write(
        rows.length === 0
          ? 'No schedules yet. Add one: biplane schedule add nightly --cron "0 3 * * *" -- rollout frozen-lake -n 100\n'
          : `${table(["name", "cron", "time zone", "next", "run"], rows)}\n`,
      );
    }),
});

const remove = command("Remove a schedule", {
  args: { name, ...storeArgs },
  run: async ({ args }) => {
    await withQueue(args, (queue) => removeSchedule(queue, args.name));
    process.stdout.write(`Removed ${args.name}.\n`);
  },
});

const run = command("Start the run of a schedule now", {
  args: { name, ...storeArgs },
  run: async ({ args }) => {
    await withQueue(args, (queue) => makeDue(queue, args.name));
    process.stdout.write(`${args.name} is due. A worker starts its run.\n`);
  },
});

/** `biplane schedule` */
export const scheduleCommand = command("Start runs by the clock, for example every night", {
  subCommands: { add, list, remove, run },
});

async function withQueue<T>(args: StoreArgs, work: (queue: RolloutQueue) => Promise<T>): Promise<T> {
  const url = await storeLocation(args);
  checkPostgres(url);
  await using store = await openStore(url);
  await using queue = await openQueue({ store, url });
  return await work(queue);
}

/** Says now what is wrong with the command line, not in the night. */
async function checkRun(words: readonly string[]): Promise<void> {
  if (words[0] !== "rollout")
    throw usageError("Pass the run after --, such as: -- rollout frozen-lake --agent random -n 100");
  const found = await resolveCommand(words);
  checkArgs(found);
  const given = parseRolloutArgs(found.args);
  if (given.resume !== undefined) throw usageError("A schedule starts new runs. Leave out --resume.");
  checkQueueable({ ...given, wait: false });
  settingsOf(given, found.args);
}

/** Quotes a word where a shell needs that. */
function asWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word);
}
