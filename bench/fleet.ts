/**
 * Servers on one Postgres database: CPU time of a durable step compared with one in memory, of a request with two servers
 * compared with one, and of a request that another server must answer. CPU time is that of the servers; that of the
 * database is shown apart.
 *
 *   npm run bench:fleet      BENCH_ROUNDS and BENCH_REQUESTS set the amount
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ServerProcess } from "../test/fleet/server-process.ts";
import { freePort } from "../test/support/free-port.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { cpuMicroseconds, databaseCpuMicroseconds, databasePid } from "./fleet/cpu.ts";
import { callTools, playSteps, startEpisodes } from "./fleet/load.ts";
import { median, ratio, table } from "./mcp/figures.ts";
import { isMissed } from "./mcp/verdict.ts";

const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5);
const requests = Number(process.env["BENCH_REQUESTS"] ?? 8000);

const bounds = {
  durable_vs_memory: { max: 2.5 },
  durable_vs_no_database: { max: 2.5 },
  two_servers_vs_one: { max: 1.1 },
  two_servers_vs_one_steps: { max: 1.1 },
  forwarded_vs_owner: { max: 2.2 },
};
/** What a machine of two processors should reach beside its database. */
const goal = 10_000;

const folder = mkdtempSync(join(tmpdir(), "biplane-bench-fleet-"));
await using postgres = await startPostgres({ isDurable: true });
const location = await postgres.database();
const config = join(folder, "biplane.yaml");
const world = fileURLToPath(new URL("fleet/world.mjs", import.meta.url));
const settings = { limits: false, keep: { calls: "none" }, servers: [world] };
writeFileSync(config, JSON.stringify({ ...settings, store: location }));
const plainConfig = join(folder, "plain.yaml");
writeFileSync(plainConfig, JSON.stringify(settings));
const env = { BIPLANE_SECRETS_KEY: randomBytes(32).toString("base64"), BIPLANE_LOG_LEVEL: "error" };
const servers: ServerProcess[] = [];
try {
  for (const file of [config, config, plainConfig]) {
    const server = new ServerProcess({ port: await freePort(), args: ["--config", file], env });
    servers.push(server);
    await server.start();
  }
  await measure();
} finally {
  for (const server of servers) await server.end();
  rmSync(folder, { recursive: true, force: true });
}

interface Kind {
  readonly name: string;
  /** Returns the requests per second, if they matter. */
  run(): Promise<number | void>;
  /** CPU microseconds of the servers for each request, a figure for each round. */
  readonly rounds: number[];
  /** The same of the database. */
  readonly database: number[];
  readonly rates: number[];
}

async function measure(): Promise<void> {
  const urls = servers.map(({ port }) => `http://127.0.0.1:${port}/env`);
  const [first, second, plain] = urls as [string, string, string];
  const [live] = (await startEpisodes(`${first}/memory`, 1)) as [string];
  const saved = await startEpisodes(`${first}/durable`, 32);
  const moving = [first, second].flatMap((base) => saved.map((id) => `${base}/durable/e/${id}/mcp/execute`));
  const execute = (base: string, episode: string) => `${base}/e/${episode}/mcp/execute`;
  const add = { tool: "add", arguments: {} };
  const hello = { tool: "hello", arguments: {} };
  const tools = (...bases: string[]) => bases.map((base) => `${base}/tools/mcp/execute`);
  const kinds = {
    plain: kind("step, no database", () => playSteps([`${plain}/memory`], requests)),
    memory: kind("step in memory", () => playSteps([`${first}/memory`], requests)),
    durable: kind("durable step", () => playSteps([`${first}/durable`], requests)),
    durableTwo: kind("durable step, two servers", () =>
      playSteps(
        [first, second].map((at) => `${at}/durable`),
        requests,
      ),
    ),
    one: kind("call, one server", () => callTools(tools(first), hello, requests)),
    two: kind("call, two servers", () => callTools(tools(first, second), hello, requests)),
    owner: kind("call at the owner", () => callTools([execute(`${first}/memory`, live)], add, requests)),
    forwarded: kind("call sent on to the owner", () => callTools([execute(`${second}/memory`, live)], add, requests)),
    moving: kind("durable step, each at the other server", () => callTools(moving, add, requests / 4)),
  };
  const all = Object.values(kinds);
  const database = await databasePid(location);
  for (let round = 0; round <= rounds; round++) {
    process.stderr.write(round === 0 ? "Warming up …\n" : `Round ${round} of ${rounds} …\n`);
    for (const each of round % 2 === 0 ? all.toReversed() : all) await measureOnce(each, { round, database });
    if (round === 0) for (const each of [...all, ...all]) await each.run();
  }
  report(kinds, all);
}

async function measureOnce(each: Kind, { round, database }: { round: number; database: number }): Promise<void> {
  const count = each.name.includes("each at") ? requests / 4 : requests;
  const pids = servers.flatMap(({ pid }) => pid ?? []);
  const before = cpuMicroseconds(pids);
  const databaseBefore = databaseCpuMicroseconds(database);
  const rate = await each.run();
  if (round === 0) return;
  each.rounds.push((cpuMicroseconds(pids) - before) / count);
  each.database.push((databaseCpuMicroseconds(database) - databaseBefore) / count);
  if (rate !== undefined) each.rates.push(rate);
}

function kind(name: string, run: Kind["run"]): Kind {
  return { name, run, rounds: [], database: [], rates: [] };
}

function report(
  kinds: Record<"plain" | "memory" | "durable" | "durableTwo" | "one" | "two" | "owner" | "forwarded", Kind>,
  all: readonly Kind[],
): void {
  const rows = all.map(({ name, rounds: cpu, database, rates }) => [
    name,
    median(cpu).toFixed(0),
    median(database).toFixed(0),
    rates.length > 0 ? median(rates).toFixed(0) : "–",
  ]);
  const head = ["kind", "servers", "database", "per second"];
  process.stdout.write(`\nCPU microseconds for each request\n\n${table(head, rows)}\n\n`);
  const { plain, memory, durable, durableTwo, one, two, owner, forwarded } = kinds;
  const ratios = {
    durable_vs_memory: ratio(durable, memory),
    durable_vs_no_database: ratio(durable, plain),
    two_servers_vs_one: ratio(two, one),
    two_servers_vs_one_steps: ratio(durableTwo, durable),
    forwarded_vs_owner: ratio(forwarded, owner),
  };
  const perSecond = Math.max(median(durable.rates), median(durableTwo.rates));
  const cpu = median(durable.rounds) + median(durable.database);
  const figures = {
    durable_steps_per_s: Math.round(perSecond),
    // Without the clients, which are on the same processors here.
    durable_steps_per_processor_s: Math.round(1e6 / cpu),
  };
  for (const [name, found] of Object.entries(ratios))
    process.stdout.write(`${name} ${found.toFixed(2)} (at most ${bounds[name as keyof typeof bounds].max})\n`);
  process.stdout.write(`durable steps per second ${figures.durable_steps_per_s} (goal ${goal})\n`);
  const rounded = Object.fromEntries(Object.entries(ratios).map(([name, found]) => [name, Number(found.toFixed(3))]));
  process.stdout.write(`${JSON.stringify({ bench: "fleet", ratios: rounded, bounds, figures })}\n`);
  const isAnyMissed = Object.entries(bounds).some(([name, bound]) =>
    isMissed(ratios[name as keyof typeof ratios], bound),
  );
  if (isAnyMissed) process.exitCode = 1;
}
