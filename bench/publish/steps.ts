import { installOpenEnv, openEnvVersion, startOpenEnv, startOurs } from "../env/servers.ts";
import type { RunningServer } from "../env/servers.ts";
import { cpuMicroseconds } from "../fleet/cpu.ts";
import { figuresOf } from "./figures.ts";
import type { AbsentPeer, Amount, Figures } from "./figures.ts";
import { protocols, socketProtocol } from "./protocols.ts";
import type { Protocol, StepClient } from "./protocols.ts";

export interface StepsRow extends Figures {
  readonly server: string;
  readonly protocol: string;
  readonly requestsPerStep: number;
}

export interface Steps {
  readonly rounds: number;
  readonly steps: number;
  readonly episodes: number;
  readonly rows: readonly StepsRow[];
  readonly absent: readonly AbsentPeer[];
}

/** Steps of grid-world over each protocol, in many episodes at once, and over OpenEnv's own server. */
export async function measureSteps({ isQuick }: Amount): Promise<Steps> {
  const [rounds, steps] = isQuick ? [3, 3000] : [5, 8000];
  const players: Player[] = [];
  const absent: AbsentPeer[] = [];
  const hasOpenEnv = installOpenEnv();
  try {
    for (const protocol of protocols)
      players.push(await startPlayer({ server: "biplane", protocol, share: 1 }, await startOurs(world)));
    const server = `OpenEnv ${openEnvVersion}`;
    if (hasOpenEnv)
      players.push(await startPlayer({ server, protocol: socketProtocol, share: 0.25 }, await startOpenEnv(world)));
    else absent.push({ name: server, why: "it could not be fetched from PyPI" });
    for (const player of players) await play(player, steps);
    for (let round = 1; round <= rounds; round++) {
      process.stderr.write(`Round ${round} of ${rounds} …\n`);
      for (const player of round % 2 === 0 ? players.toReversed() : players) await measureOnce(player, steps);
    }
  } finally {
    for (const { clients, running } of players) {
      running.child.kill("SIGKILL"); // first, because OpenEnv's server prints an error for each closed socket
      for (const client of clients) client.close();
    }
  }
  const rows = players.map(({ server, protocol: { name, requestsPerStep }, ...figures }) => ({
    server,
    protocol: name,
    requestsPerStep,
    ...figuresOf(figures),
  }));
  return { rounds, steps, episodes, rows, absent };
}

const world = "grid-world";
const episodes = 64;

interface PlayerOptions {
  readonly server: string;
  readonly protocol: Protocol;
  /** Multiplies the steps, so that fast and slow servers are measured for about the same time. */
  readonly share: number;
}

/** A server, its clients, and their figures. */
interface Player extends PlayerOptions {
  readonly running: RunningServer;
  readonly clients: readonly StepClient[];
  readonly rounds: number[];
  readonly rates: number[];
}

async function startPlayer(options: PlayerOptions, running: RunningServer): Promise<Player> {
  const slots = Array.from({ length: episodes }, (_, slot) => slot);
  const clients = await Promise.all(slots.map((slot) => options.protocol.open(running.url, slot)));
  return { ...options, running, clients, rounds: [], rates: [] };
}

/** Returns how many steps were made. */
async function play({ clients, share }: Player, steps: number): Promise<number> {
  const count = Math.round(steps * share);
  let left = count;
  await Promise.all(
    clients.map(async (client) => {
      while (left-- > 0) await client.step();
    }),
  );
  return count;
}

async function measureOnce(player: Player, steps: number): Promise<void> {
  const pids = [player.running.child.pid ?? 0];
  const before = cpuMicroseconds(pids);
  const startedAt = performance.now();
  const count = await play(player, steps);
  player.rates.push((count * 1000) / (performance.now() - startedAt));
  player.rounds.push((cpuMicroseconds(pids) - before) / count);
}
