import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { callTool, code, connect, connectEnvironment } from "biplane/client";
import type { ConnectEnvironmentOptions, EnvironmentClient, StepOutcome } from "biplane/client";
import { frozenLake } from "../../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import type { Journal } from "./journal.ts";
import { sendJson } from "./send-json.ts";

/** What a client knows about an episode. */
export interface Played {
  readonly seed: number;
  readonly positions: readonly number[];
  readonly reward: number;
  readonly terminated: boolean;
}

/** Plays an episode to its end. `url` is the environment's. */
export type Play = (url: string, seed: number, journal: Journal) => Promise<Played>;

/** A way to play for each protocol. */
export const plays: Readonly<Record<string, Play>> = {
  REST: playOverRest,
  "MCP 2026-07-28": playOverMcp("modern"),
  "MCP 2025-11-25": playOverMcp("legacy"),
  "official SDK 1": playOverSdk(async (url) => {
    const client = new ClientV1(about);
    await client.connect(new HttpV1(new URL(url)));
    return client;
  }),
  "official SDK 2": playOverSdk(async (url) => {
    const client = new ClientV2(about, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(new HttpV2(new URL(url)));
    return client;
  }),
  "OpenEnv /ws": playWithClient({ kind: "openenv" }),
  "OpenEnv HTTP": playWithClient({ kind: "openenv", transport: "http" }),
  "Eval Protocol": playWithClient({ kind: "eval-protocol" }),
  code: playWithCode,
};

/** The same actions in this process. */
export async function replay(seed: number): Promise<Played> {
  await using environment = frozenLake();
  const episode = await environment.start({ seed, config });
  const positions: number[] = [];
  for (let step = 0; !episode.isOver; step++)
    positions.push(positionIn(await environment.call(episode, "lake_move", { action: moveAt(seed, step) })));
  return { seed, positions, reward: episode.earned, terminated: episode.terminated };
}

async function playOverRest(url: string, seed: number, journal: Journal): Promise<Played> {
  const id = await startEpisode(url, seed, journal);
  return playById({ url, seed, journal, id }, async (action, key) => {
    const body = { tool: "lake_move", arguments: { action } };
    return (await sendJson("POST", `${url}/e/${id}/mcp/execute`, { body, key }))["result"];
  });
}

function playOverMcp(era: "modern" | "legacy"): Play {
  return async (url, seed, journal) => {
    const id = await startEpisode(url, seed, journal);
    await using client = await journal.untilAnswered(`connecting, ${era}`, () => connect(`${url}/mcp`, { era }));
    return await playById({ url, seed, journal, id }, async (action, key) => {
      const meta = { "dev.biplane/episode": id, "dev.biplane/idempotency-key": key };
      const result = await client.callTool("lake_move", { action }, { meta, idempotent: true });
      if (result.isError) throw new Error(JSON.stringify(result.content));
      return result.structuredContent;
    });
  };
}

/** What the official clients of both generations have in common. */
interface SdkClient {
  callTool(params: object): Promise<object>;
  close(): Promise<void>;
}

/** The official client does not send a call again by itself. */
function playOverSdk(open: (url: string) => Promise<SdkClient>): Play {
  return async (url, seed, journal) => {
    const id = await startEpisode(url, seed, journal);
    const client = await journal.untilAnswered("connecting, official SDK", () => open(`${url}/mcp`));
    try {
      return await playById({ url, seed, journal, id }, async (action, key) => {
        const _meta = { "dev.biplane/episode": id, "dev.biplane/idempotency-key": key };
        const result = await client.callTool({ name: "lake_move", arguments: { action }, _meta });
        if ("isError" in result && result.isError) throw new Error(JSON.stringify(result));
        return "structuredContent" in result ? result.structuredContent : undefined;
      });
    } finally {
      await client.close();
    }
  };
}

const about = { name: "chaos", version: "1" };

interface PlayByIdOptions {
  readonly url: string;
  readonly seed: number;
  readonly journal: Journal;
  readonly id: string;
}

/** Plays an episode whose id is known. Every move is sent with the same key until it is answered. */
async function playById(
  { url, seed, journal, id }: PlayByIdOptions,
  move: (action: string, key: string) => Promise<unknown>,
): Promise<Played> {
  const positions: number[] = [];
  const read = () =>
    journal.untilAnswered("reading an episode", () => sendJson("GET", `${url}/control/episodes/${id}`));
  for (let step = 0; ; step++) {
    const key = `${id} ${step}`;
    positions.push(await journal.untilAnswered("a move", async () => positionIn(await move(moveAt(seed, step), key))));
    const episode = await read();
    const { step_count, total_reward, terminated, truncated } = episode;
    if (step_count !== positions.length)
      throw new Error(`${positions.length} steps were acknowledged, and the episode is ${JSON.stringify(episode)}`);
    if (terminated !== true && truncated !== true) continue;
    return { seed, positions, reward: Number(total_reward), terminated: terminated === true };
  }
}

async function startEpisode(url: string, seed: number, journal: Journal): Promise<string> {
  const body = { seed, config };
  return journal.untilAnswered("starting an episode", async () => {
    const { id } = await sendJson("POST", `${url}/control/episodes`, { body });
    if (typeof id !== "string") throw new Error("The episode has no id.");
    return id;
  });
}

/** Plays with the client that rollouts use. It retries by itself, and notices nothing of the servers that die. */
function playWithClient(options: ConnectEnvironmentOptions): Play {
  return async (url, seed, journal) => {
    const address = options.kind === "eval-protocol" ? `${url}/mcp` : url;
    const client = await startClient(address, seed, { journal, ...options });
    const positions: number[] = [];
    let reward = 0;
    for (let step = 0; ; step++) {
      const outcome = await stepOnce(client, callTool("lake_move", { action: moveAt(seed, step) }), journal);
      positions.push(positionIn(outcome.observation));
      reward += outcome.reward ?? 0;
      if (!outcome.done) continue;
      await client.close();
      return { seed, positions, reward, terminated: outcome.terminated };
    }
  };
}

/** Plays with code that makes several moves in one action. */
async function playWithCode(url: string, seed: number, journal: Journal): Promise<Played> {
  const client = await startClient(url, seed, { journal, kind: "openenv", transport: "http" });
  const positions: number[] = [];
  let reward = 0;
  for (;;) {
    const actions = [0, 1, 2].map((more) => moveAt(seed, positions.length + more));
    const source = `const seen = [];
      for (const action of ${JSON.stringify(actions)}) {
        const { position } = await lake_move({ action }).catch((error) => {
          if (/over|ended/.test(error.message)) return {};
          throw error;
        });
        if (position === undefined) break;
        seen.push(position);
      }
      return seen;`;
    const outcome = await stepOnce(client, code(source), journal);
    const { result, error } = outcome.observation as { result: readonly number[]; error: unknown };
    if (error) throw new Error(JSON.stringify(error));
    positions.push(...result);
    reward += outcome.reward ?? 0;
    if (!outcome.done) continue;
    await client.close();
    return { seed, positions, reward, terminated: outcome.terminated };
  }
}

async function startClient(
  url: string,
  seed: number,
  { journal, ...options }: ConnectEnvironmentOptions & { readonly journal: Journal },
): Promise<EnvironmentClient> {
  return journal.untilAnswered("a reset", async () => {
    const client = await connectEnvironment(url, options);
    await client.reset({ seed, config });
    return client;
  });
}

/** A step that our client retries by itself: its first error counts. */
async function stepOnce(
  client: EnvironmentClient,
  action: Parameters<EnvironmentClient["step"]>[0],
  journal: Journal,
): Promise<StepOutcome> {
  const outcome = await journal.once("a step", () => client.step(action));
  if (outcome.error ?? outcome.faults[0]) throw new Error(JSON.stringify(outcome.error ?? outcome.faults[0]));
  return outcome;
}

function positionIn(seen: unknown): number {
  const { position } = (seen ?? {}) as { position?: unknown };
  if (typeof position === "number") return position;
  throw new Error(`There is no position in ${JSON.stringify(seen)}.`);
}

const config = { map_name: "8x8", is_slippery: true, max_steps: 40 };
const moves = ["LEFT", "DOWN", "RIGHT", "UP"];

function moveAt(seed: number, step: number): string {
  return moves[(seed * 7 + step * 13 + ((step * step) % 5)) % 4] as string;
}
