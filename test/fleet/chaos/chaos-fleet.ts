import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../support/free-port.ts";
import type { TestPostgres } from "../../support/postgres.ts";
import { startBalancer } from "../balancer.ts";
import { ServerProcess } from "../server-process.ts";

/** Three servers on one database, behind a balancer. */
export interface ChaosFleet extends AsyncDisposable {
  readonly url: string;
  /** Of the database. */
  readonly location: string;
  readonly servers: readonly ServerProcess[];
  /** A line for each time that a tool of `world.mjs` ran: its name and the id in its input. */
  ledger(): readonly string[];
}

export async function startChaosFleet(postgres: TestPostgres, mode: "simulation" | "production"): Promise<ChaosFleet> {
  const location = await postgres.database();
  const folder = mkdtempSync(join(tmpdir(), "biplane-chaos-"));
  const ledger = join(folder, "ledger");
  const config = join(folder, "biplane.yaml");
  writeFileSync(ledger, "");
  writeFileSync(config, JSON.stringify({ ...settings, mode, store: location }));
  const env = { BIPLANE_SECRETS_KEY: randomBytes(32).toString("base64"), LEDGER: ledger };
  const create = async () => new ServerProcess({ port: await freePort(), args: ["--config", config], env });
  const servers = [await create(), await create(), await create()];
  await Promise.all(servers.map((server) => server.start()));
  const balancer = await startBalancer(servers.map(({ port }) => port));
  return {
    url: balancer.url,
    location,
    servers,
    ledger: () => readFileSync(ledger, "utf8").split("\n").slice(0, -1),
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server.end();
      await balancer[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Of the tool `limited`. */
export const limit = { perSecond: 5, burst: 10 };

const settings = {
  name: "chaos",
  servers: [fileURLToPath(new URL("world.mjs", import.meta.url))],
  environments: ["frozen-lake"],
  code: { languages: ["javascript"] },
  limits: { perPrincipal: false, perTool: { limited: limit } },
  policies: [
    { tool: "refund", ask: "Refund {arguments.id}?" },
    { tool: "*", allow: true },
  ],
};
