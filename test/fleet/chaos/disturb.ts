import { setTimeout as pause } from "node:timers/promises";
import type { TestPostgres } from "../../support/postgres.ts";
import type { DatabaseLink } from "./database-link.ts";
import type { ServerProcess } from "../server-process.ts";

export interface DisturbOptions {
  readonly servers: readonly ServerProcess[];
  /** From each server to the database. */
  readonly links: readonly DatabaseLink[];
  readonly postgres: TestPostgres;
  /** How many servers are killed. Some of the other disturbances come with them. */
  readonly kills: number;
  /** Whether servers are paused and replaced too, their links are cut and stalled, and the database crashes. */
  readonly withAll: boolean;
  readonly random: () => number;
}

/** Longer than the others wait for a server before they give it up. */
const pauseMs = 12_000;

/** Kills, pauses and replaces servers, disturbs their links to the database, and crashes it. Returns how often each was done. */
export async function disturb(options: DisturbOptions): Promise<Record<string, number>> {
  const { servers, links, postgres, kills, withAll, random } = options;
  const done = { kills: 0, pauses: 0, restarts: 0, "cut links": 0, "stalled links": 0, "database crashes": 0 };
  const anyOf = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const kill = async (server: ServerProcess) => {
    await server.end();
    done.kills++;
    await pause(random() * 500);
    await server.start();
  };
  const pauseOne = async (server: ServerProcess) => {
    await server.pause(pauseMs);
    done.pauses++;
  };
  const cutOne = async () => {
    await anyOf(links).cut(pauseMs);
    done["cut links"]++;
  };
  const stallOne = async () => {
    await anyOf(links).stall(random() * pauseMs);
    done["stalled links"]++;
  };
  const rollingRestart = async () => {
    for (const server of servers) {
      await server.end("SIGTERM");
      await server.start();
    }
    done.restarts++;
  };
  const crash = async () => {
    await postgres.crash();
    await pause(random() * 500);
    await postgres.start();
    done["database crashes"]++;
  };
  for (let round = 0; done.kills < kills; round++) {
    const [paused, ...others] = shuffled(servers, random) as [ServerProcess, ...ServerProcess[]];
    if (withAll && round % 10 === 0) {
      const killOther = async () => kill(anyOf(others));
      await Promise.all([pauseOne(paused), killOther()]);
      await rollingRestart();
      await Promise.all([cutOne(), stallOne()]);
      await crash();
    } else await kill(paused);
    await pause(random() * 1000);
  }
  return done;
}

function shuffled<T>(all: readonly T[], random: () => number): T[] {
  return all
    .map((each) => [random(), each] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, each]) => each);
}
