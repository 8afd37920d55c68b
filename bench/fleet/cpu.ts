import { readFileSync, readdirSync } from "node:fs";
import pg from "pg";

/** CPU microseconds of some processes and their threads, in steps of 10 ms. */
export function cpuMicroseconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (statOf(pid)?.cpu ?? 0), 0);
}

/** CPU microseconds of a database server: its first process and those that it started, also ones that have ended. */
export function databaseCpuMicroseconds(first: number): number {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  const all = pids.map((pid) => ({ pid, ...statOf(pid) }));
  return all.reduce(
    (sum, { pid, parent, cpu = 0, ended = 0 }) => sum + (pid === first ? cpu + ended : parent === first ? cpu : 0),
    0,
  );
}

/** The first process of a database server. */
export async function databasePid(location: string): Promise<number> {
  const client = new pg.Client(location);
  await client.connect();
  try {
    const { rows } = await client.query<{ text: string }>("select pg_read_file('postmaster.pid') as text");
    return Number.parseInt(rows[0]?.text ?? "", 10);
  } finally {
    await client.end();
  }
}

function statOf(pid: number): { parent: number; cpu: number; ended: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").map(Number) ?? [];
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return { parent: fields[1] ?? 0, cpu: (user + system) * 10_000, ended: (endedUser + endedSystem) * 10_000 };
  } catch {
    return undefined; // It has ended.
  }
}
