import cluster from "node:cluster";
import type { Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

/** True unless this is one of several processes on a port, and another one speaks for all. */
export function isFirstProcess(): boolean {
  return cluster.worker === undefined || cluster.worker.id === 1;
}

/** Runs this command in several processes on one port until it is stopped, and replaces those that end. */
export async function serveWithProcesses(count: number): Promise<void> {
  // Each process accepts by itself. If this one handed out connections, those for a process that dies would hang.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const running = new Set<Worker>();
  const stopping = new AbortController();
  const stop = () => {
    stopping.abort();
    for (const worker of running) worker.process.kill("SIGTERM");
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);
  const keepOne = async () => {
    while (!stopping.signal.aborted) {
      const worker = cluster.fork(environment);
      running.add(worker);
      let hasListened = false;
      worker.once("listening", () => (hasListened = true));
      const [code, signal] = (await once(worker, "exit")) as [number | null, NodeJS.Signals | null];
      running.delete(worker);
      if (stopping.signal.aborted) return;
      if (!hasListened) {
        process.exitCode = code ?? 1; // It said why, and the others would not do better.
        return stop();
      }
      process.stderr.write(`biplane: a process ended (${signal ?? `exit code ${code}`}). Another one is started.\n`);
      await pause(restartMs);
    }
  };
  const first = keepOne();
  // It creates the tables of an empty database, and says where it listens.
  await Promise.race([once(cluster, "listening"), first]);
  await Promise.all([first, ...Array.from({ length: count - 1 }, keepOne)]);
}

/** With two malloc arenas instead of one for each thread, freed memory is used again. It must be set before the start. */
const environment = { MALLOC_ARENA_MAX: process.env["MALLOC_ARENA_MAX"] ?? "2" };

/** So that processes that end at once do not take all the time of the machine. */
const restartMs = 1000;
