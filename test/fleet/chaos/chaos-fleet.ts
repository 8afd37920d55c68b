import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../support/free-port.ts";
import type { TestPostgres } from "../../support/postgres.ts";
import { startBalancer } from "../balancer.ts";
import { ServerProcess } from "../server-process.ts";
import { openDatabaseLink } from "./database-link.ts";
import type { DatabaseLink } from "./database-link.ts";

/** Three servers on one database, behind a balancer. */
export interface ChaosFleet extends AsyncDisposable {
  readonly url: string;
  /** Of the database. */
  readonly location: string;
  readonly servers: readonly ServerProcess[];
  /** From each server to the database. */
  readonly links: readonly DatabaseLink[];
  /** A line for each time that a tool of `world.mjs` ran: its name and the id in its input. */
  ledger(): readonly string[];
}

export async function startChaosFleet(postgres: TestPostgres, mode: "simulation" | "production"): Promise<ChaosFleet> {
  const location = await postgres.database();
  const folder = mkdtempSync(join(tmpdir(), "biplane-chaos-"));
  const ledger = join(folder, "ledger");
  writeFileSync(ledger, "");
  const env = { BIPLANE_SECRETS_KEY: randomBytes(32).toString("base64"), LEDGER: ledger };
  const links: DatabaseLink[] = [];
  const servers: ServerProcess[] = [];
  for (let at = 0; at < 3; at++) {
    const link = await openDatabaseLink(postgres.port);
    const config = join(folder, `biplane-${at}.yaml`);
    const store = location.replace(`:${postgres.port}/`, `:${link.port}/`);
    writeFileSync(config, JSON.stringify({ ...settings, mode, store }));
    links.push(link);
    servers.push(new ServerProcess({ port: await freePort(), args: ["--config", config], env }));
  }
  await Promise.all(servers.map((server) => server.start()));
  const balancer = await startBalancer(servers.map(({ port }) => port));
  return {
    url: balancer.url,
    location,
    servers,
    links,
    ledger: () => readFileSync(ledger, "utf8").split("\n").slice(0, -1),
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server.end();
      await balancer[Symbol.asyncDispose]();
      for (const link of links) await link[Symbol.asyncDispose]();
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
