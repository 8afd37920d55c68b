import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { startBalancer } from "../test/fleet/balancer.ts";
import { ServerProcess } from "../test/fleet/server-process.ts";
import { freePort } from "../test/support/free-port.ts";
import { needsPostgres, startPostgres } from "../test/support/postgres.ts";

/**
 * Three servers on one Postgres database, behind a balancer without stickiness. One after the other is killed and started
 * again, until standard input ends. Prints the balancer's address, and how many were killed.
 */
const killEveryMs = 3000;

if (needsPostgres.skip) {
  console.log(JSON.stringify({ missing: "no Postgres runs here" }));
  process.exit(0);
}
const postgres = await startPostgres();
const store = await postgres.database();
const env = { BIPLANE_SECRETS_KEY: randomBytes(32).toString("base64") };
const args = ["--env", "frozen-lake,catch", "--store", store, "--log-level", "error"];
const servers: ServerProcess[] = [];
for (let at = 0; at < 3; at++) servers.push(new ServerProcess({ port: await freePort(), args, env }));
await Promise.all(servers.map((server) => server.start()));
const balancer = await startBalancer(servers.map(({ port }) => port));
console.log(JSON.stringify({ url: balancer.url }));
const over = new AbortController();
void once(process.stdin.resume(), "end").then(() => over.abort());
let killed = 0;
while (!over.signal.aborted) {
  const victim = servers[killed % servers.length] as ServerProcess;
  await victim.end();
  killed++;
  await victim.start();
  await pause(killEveryMs, undefined, { signal: over.signal }).catch(() => undefined);
}
for (const server of servers) await server.end();
await balancer[Symbol.asyncDispose]();
await postgres[Symbol.asyncDispose]();
console.log(JSON.stringify({ killed }));
