import { request } from "node:http";
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTool, connectEnvironment } from "biplane/client";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { freePort } from "../support/free-port.ts";
import { needsPostgres, startPostgres } from "../support/postgres.ts";
import type { TestPostgres } from "../support/postgres.ts";
import { startBalancer } from "./balancer.ts";
import { ServerProcess } from "./server-process.ts";

const kills = process.env["BIPLANE_SOAK"] ? 200 : 3;
const players = 8;
const moves = ["LEFT", "DOWN", "RIGHT", "UP"];
const config = { map_name: "8x8", is_slippery: true, max_steps: 200 };

describe("three servers on one database, of which one after the other is killed", needsPostgres, () => {
  let postgres: TestPostgres | undefined;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 120_000);
  afterAll(() => postgres?.[Symbol.asyncDispose]());

  it.each([
    ["a client that sends keys over REST", playOverRest],
    ["the environment client over a WebSocket", playWithClient],
  ])("lose no acknowledged step of %s, and make none twice", { timeout: 3_600_000 }, async (_, playLake) => {
    const store = await (postgres as TestPostgres).database();
    const key = randomBytes(32).toString("base64");
    const start = async () => new ServerProcess(await freePort(), store, key);
    const servers = await Promise.all([start(), start(), start()]);
    await Promise.all(servers.map((server) => server.start()));
    await using balancer = await startBalancer(servers.map(({ port }) => port));
    const over = new AbortController();
    const played: Played[] = [];
    const play = async (player: number) => {
      for (let episode = 0; !over.signal.aborted; episode++)
        played.push(await playLake(balancer.url, player * 1_000_000 + episode));
    };
    const playing = Array.from({ length: players }, (__, player) => play(player));
    try {
      for (let killed = 0; killed < kills; killed++) {
        const before = played.length;
        const victim = servers[killed % servers.length] as ServerProcess;
        await victim.kill();
        await victim.start();
        await expect.poll(() => played.length, { timeout: 120_000 }).toBeGreaterThan(before);
      }
    } finally {
      over.abort();
      await Promise.all(playing);
      for (const server of servers) await server.kill();
    }
    expect(played.length).toBeGreaterThan(kills);
    for (const each of played) expect(each).toEqual(await replay(each.seed));
  });
});

/** What a client knows about an episode. */
interface Played {
  readonly seed: number;
  readonly positions: readonly number[];
  readonly steps: number;
  readonly reward: number;
  readonly terminated: boolean;
}

/** Plays an episode to its end. Every request is sent until it is answered, with the same key. */
async function playOverRest(url: string, seed: number): Promise<Played> {
  const started = await send(url, "POST", "/control/episodes", { body: { seed, config } });
  const id = String(started["id"]);
  const positions: number[] = [];
  for (let step = 0; ; step++) {
    const body = { tool: "lake_move", arguments: { action: moveAt(seed, step) } };
    const answer = await send(url, "POST", `/e/${id}/mcp/execute`, { body, key: `${id} ${step}` });
    if (answer["error"] === "EPISODE_ENDED") break;
    if (answer["error"] !== undefined) throw new Error(JSON.stringify(answer));
    positions.push((answer["result"] as { position: number }).position);
  }
  const { step_count, total_reward, terminated } = await send(url, "GET", `/control/episodes/${id}`);
  const ending = { reward: Number(total_reward), terminated: Boolean(terminated) };
  return { seed, positions, steps: Number(step_count), ...ending };
}

/** Plays an episode with the client that rollouts use. It notices nothing of the servers that die. */
async function playWithClient(url: string, seed: number): Promise<Played> {
  const client = await untilReached(() => connectEnvironment(url, { kind: "openenv" }));
  await untilReached(() => client.reset({ seed, config }));
  const positions: number[] = [];
  let total = 0;
  for (let step = 0; ; step++) {
    const action = callTool("lake_move", { action: moveAt(seed, step) });
    const { observation, reward, terminated, truncated } = await client.step(action);
    positions.push((observation as { position: number }).position);
    total += reward ?? 0;
    if (!terminated && !truncated) continue;
    await client.close();
    return { seed, positions, steps: positions.length, reward: total, terminated };
  }
}

/** Before the first step, there is nothing to continue: a client starts again. */
async function untilReached<T>(start: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await start();
    } catch (error) {
      if (tries > 200) throw error;
      await pause(50);
    }
  }
}

/** The same actions in this process. */
async function replay(seed: number): Promise<Played> {
  await using environment = frozenLake();
  const episode = await environment.start({ seed, config });
  const positions: number[] = [];
  for (let step = 0; !episode.isOver; step++) {
    const seen = await environment.call(episode, "lake_move", { action: moveAt(seed, step) });
    positions.push((seen as { position: number }).position);
  }
  const { stepCount: steps, earned: reward, terminated } = episode;
  return { seed, positions, steps, reward, terminated };
}

function moveAt(seed: number, step: number): string {
  return moves[(seed * 7 + step * 13 + ((step * step) % 5)) % 4] as string;
}

interface SendOptions {
  readonly body?: object;
  readonly key?: string;
}

function send(url: string, method: string, path: string, options: SendOptions = {}) {
  return untilReached(() => sendOnce(url, method, path, options));
}

/** One request on a connection of its own. Rejects if the server dies before it has answered. */
function sendOnce(url: string, method: string, path: string, { body, key }: SendOptions) {
  return new Promise<Record<string, unknown>>((resolve, reject) => {
    const headers = { "content-type": "application/json", ...(key !== undefined && { "idempotency-key": key }) };
    const sent = request(new URL(path, url), { method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("error", reject);
      response.on("end", () => resolve(JSON.parse(text) as Record<string, unknown>));
      response.on("aborted", () => reject(new Error("The server died.")));
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
