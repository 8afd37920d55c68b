import { hostname } from "node:os";
import { messageOf } from "@biplane/core/internal";
import { RolloutWorker } from "../queue/rollout-worker.ts";
import { checkPostgres, openQueue } from "../queue/rollout-queue.ts";
import { failDue, takeDue } from "../queue/schedules.ts";
import type { DueRun } from "../queue/schedules.ts";
import { ListedWorker } from "../queue/listed-worker.ts";
import { version } from "../host/version.ts";
import { openStore } from "../store/sql-store.ts";
import { command, count, countFromOne, option, toggle } from "./command/define.ts";
import type { GivenArgs } from "./command/define.ts";
import { enqueue } from "./rollout/queue-rollout.ts";
import type { EnqueueParts } from "./rollout/queue-rollout.ts";
import { parseRolloutArgs } from "./rollout/rollout-args.ts";
import { RunOpener } from "./rollout/run-opener.ts";
import { storeArgs, storeLocation } from "./store-args.ts";
import { cleanLine } from "./terminal/clean-text.ts";

const workerArgs = {
  ...storeArgs,
  concurrency: option("Number of rollouts at once", { takes: countFromOne, default: "8" }),
  name: option("A name for the worker (default: host name and process id)"),
  grace: option("Seconds that running rollouts have to finish after SIGTERM before other workers take them", {
    takes: count,
    default: "20",
  }),
  "allow-commands": toggle("Also play runs that start a command on this machine"),
} as const;

/** `biplane worker`: plays the rollouts of queued runs until it is stopped. */
export const workerCommand = command("Play the rollouts of queued runs, together with other workers", {
  args: workerArgs,
  run: async ({ args }) => {
    await work(args);
    process.exit(); // a tool may hang
  },
});

async function work(args: GivenArgs<typeof workerArgs>): Promise<void> {
  const url = await storeLocation(args);
  checkPostgres(url);
  const log = (message: string) => process.stderr.write(`${cleanLine(message)}\n`);
  const name = args.name ?? `${hostname()} ${process.pid}`;
  await using store = await openStore(url);
  await using queue = await openQueue({ store, url, isWorker: true, onFault: (fault) => log(messageOf(fault)) });
  await using entry = new ListedWorker(store, { name, version });
  await using opener = new RunOpener({ mayStartCommands: args["allow-commands"] });
  const worker = new RolloutWorker({
    store,
    queue,
    name,
    concurrency: Number(args.concurrency),
    open: opener.open,
    startDue: () => startDueRuns({ store, queue }, log),
    log,
    announce: entry.announce,
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      process.once(signal, () => worker.stop(0));
      log(`Stopping. Running rollouts have ${args.grace} s to end.`);
      worker.stop(Number(args.grace) * 1000);
    });
  }
  log(`The worker ${name} plays up to ${args.concurrency} rollouts at once from ${store.name}.`);
  await worker.run();
}

/** Starts the runs of schedules that are due. One that cannot be started must not keep the worker from playing. */
async function startDueRuns(parts: EnqueueParts, log: (message: string) => void): Promise<void> {
  for (let due = await takeDue(parts.queue); due; due = await takeDue(parts.queue)) {
    try {
      const run = await startDue(due, parts);
      if (run) log(`Queued the run ${run.id} of the schedule ${due.schedule}.`);
    } catch (error) {
      log(`The schedule ${due.schedule} could not start its run: ${messageOf(error)}`);
      await failDue(parts.queue, due, messageOf(error));
    }
  }
}

function startDue({ job, schedule, args }: DueRun, parts: EnqueueParts) {
  const rawArgs = args.slice(1);
  const given = parseRolloutArgs(rawArgs);
  return enqueue({ ...given, name: given.name ?? schedule }, rawArgs, { ...parts, job });
}
