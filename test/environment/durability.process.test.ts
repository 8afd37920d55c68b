import { describe, expect, it } from "vitest";
import { allow, deny, environment } from "biplane";
import type { Environment } from "biplane";
import { describeEngines } from "../support/each-engine.ts";
import { counter } from "./counter.ts";

describeEngines("an episode that is saved after every step", (engine) => {
  /** The same environment in what could be two processes. */
  async function twoServers(): Promise<{ first: Served; second: Served }> {
    const location = await engine.location();
    return { first: await serve(await engine.open(location)), second: await serve(await engine.open(location)) };
  }

  it("continues on another server, with its state, randomness and rewards", async () => {
    await using pair = disposable(await twoServers());
    const { first, second } = pair;
    const alone = await serve(undefined);
    const played = await play([first, second, first, first, second]);
    const expected = await play([alone, alone, alone, alone, alone]);
    await alone.environment.close();
    expect(played).toEqual(expected);
  });

  it("keeps who made its last step", async () => {
    await using pair = disposable(await twoServers());
    const { first, second } = pair;
    const { id } = await first.start({ seed: 3, config: { goal: 100 } });
    await first.call(id, "add", { by: 1 });
    const player = first.environment.episodes.findHere(id)?.player;
    expect(player).toMatchObject({
      principal: { id: expect.any(String) as string },
      route: expect.any(String) as string,
    });
    expect((await second.environment.episodes.find(id))?.player).toEqual(player);
  });

  it("is not overwritten by a server that was behind", async () => {
    await using pair = disposable(await twoServers());
    const { first, second } = pair;
    const { id } = await first.start({ seed: 3, config: { goal: 100 } });
    await first.call(id, "add", { by: 1 });
    await second.call(id, "add", { by: 10 });
    expect(await first.state(id)).toMatchObject({ step_count: 2, total_reward: 11 });
    expect(await first.call(id, "add", { by: 100 })).toEqual({ result: { count: 111 } });
  });

  it("takes the steps of several servers at the same time one after the other", async () => {
    await using pair = disposable(await twoServers());
    const { first, second } = pair;
    const { id } = await first.start({ seed: 3, config: { goal: 1000, limit: 1000 } });
    const calls = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? first : second).call(id, "add", { by: 1 }));
    const counts = (await Promise.all(calls)).map(({ result }) => (result as { count: number } | undefined)?.count);
    expect(counts.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
    expect(await second.state(id)).toMatchObject({ step_count: 40, total_reward: 40 });
  });

  it("repeats no call that a policy denies", async () => {
    await using pair = disposable(await twoServers());
    const { first, second } = pair;
    first.environment.policy((_, tool) => (tool === "roll" ? deny("No dice") : allow()));
    const { id } = await first.start({ seed: 3, config: { goal: 1000 } });
    const calls = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? first : second).call(id, "roll", {}));
    const answers = await Promise.all(calls);
    expect(answers.filter(({ error }) => error === "POLICY_DENIED")).toHaveLength(10);
    expect(await second.state(id)).toMatchObject({ step_count: 10 });
  });

  it("makes a step once, however often it is sent with the same key", async () => {
    await using pair = disposable(await twoServers());
    const { first, second } = pair;
    const { id } = await first.start({ seed: 3, config: { goal: 100 } });
    const tries = [];
    for (const server of [first, second, second, first])
      tries.push(await server.call(id, "roll", {}, { "idempotency-key": "try" }));
    expect(new Set(tries.map(({ result }) => JSON.stringify(result))).size).toBe(1);
    expect(await second.state(id)).toMatchObject({ step_count: 1 });
    const next = await second.call(id, "add", {}, { "idempotency-key": "another" });
    expect(next.result).toBeDefined();
    expect(await second.state(id)).toMatchObject({ step_count: 2 });
  });

  it("refuses another call with the key of the last step", async () => {
    await using pair = disposable(await twoServers());
    const { first, second } = pair;
    const { id } = await first.start({ seed: 3, config: { goal: 100 } });
    const key = { "idempotency-key": "one" };
    await first.call(id, "add", { by: 1 }, key);
    expect(await second.call(id, "add", { by: 2 }, key)).toMatchObject({ error: "CONFLICT" });
    expect(await second.call(id, "add", { by: 2 })).toMatchObject({ result: { count: 3 } });
  });

  it("is not removed by a server that was behind", async () => {
    await using pair = disposable(await twoServers());
    const { first, second } = pair;
    const { id } = await first.start({ seed: 3, config: { goal: 100 } });
    const behind = first.environment.episodes.findHere(id);
    await second.call(id, "add", { by: 1 });
    if (behind) await first.environment.episodes.end(behind);
    expect(await second.call(id, "add", { by: 1 })).toMatchObject({ result: { count: 2 } });
  });

  it("leaves its place in memory to others, and comes back when it is used", async () => {
    const location = await engine.location();
    const server = await serve(await engine.open(location), { maxEpisodes: 3 });
    const ids = [];
    for (let at = 0; at < 3; at++) ids.push((await server.start({ seed: at, config: { goal: 100 } })).id);
    const other = await serve(await engine.open(location), { maxEpisodes: 2 });
    for (const id of [...ids, ...ids]) await other.call(id, "add", { by: 1 });
    const counts = [];
    for (const id of ids) counts.push((await server.call(id, "add", { by: 1 })).result);
    expect(counts).toEqual([{ count: 3 }, { count: 3 }, { count: 3 }]);
    await server.environment.close();
    await other.environment.close();
  });

  it("answers the last step again after its end", async () => {
    await using pair = disposable(await twoServers());
    const { first, second } = pair;
    const { id } = await first.start({ seed: 3, config: { goal: 5 } });
    const last = await first.call(id, "add", { by: 5 }, { "idempotency-key": "end" });
    expect(await second.call(id, "add", { by: 5 }, { "idempotency-key": "end" })).toEqual(last);
    expect(await second.call(id, "add", { by: 5 })).toMatchObject({ error: "EPISODE_ENDED" });
  });

  it("survives the closing of its server, and is gone once it was deleted", async () => {
    await using pair = disposable(await twoServers());
    const { first, second } = pair;
    const { id } = await first.start({ seed: 3 });
    await first.environment.close();
    expect(await second.state(id)).toMatchObject({ id, step_count: 0 });
    await second.end(id);
    expect(await second.state(id)).toMatchObject({ error: "NOT_FOUND" });
  });

  it("is left as it was by a call that its server has no time for when it closes", async () => {
    const location = await engine.location();
    let runs = 0;
    const start = async () =>
      serveEnvironment(
        environment({
          name: "slow",
          durability: "step",
          store: await engine.open(location),
          start: () => ({ count: 0 }),
          observe: ({ count }) => ({ count }),
          tools: (tool) => ({
            add: tool({
              run: (_, { state }) => {
                state.count++;
                return runs++ === 0 ? new Promise<undefined>(() => undefined) : undefined;
              },
            }),
          }),
        }),
        { graceMs: 20 },
      );
    const [first, second] = [await start(), await start()];
    const { id } = await first.start({ seed: 3 });
    const key = { "idempotency-key": "one" };
    const call = first.call(id, "add", {}, key);
    await expect.poll(() => runs).toBe(1);
    await first.environment.close();
    expect(await call).toMatchObject({ error: "CAPACITY" });
    expect(await second.call(id, "add", {}, key)).toEqual({ result: { count: 1 } });
    expect(await second.state(id)).toMatchObject({ step_count: 1 });
    await second.environment.close();
  });

  it("can hold what JSON cannot", async () => {
    const location = await engine.location();
    const make = async () =>
      environment({
        name: "odd",
        durability: "step",
        store: await engine.open(location),
        start: () => ({ seen: new Map([[1, -0]]), at: new Date(0), odd: [Number.NaN, undefined, 1n] }),
        observe: ({ seen }) => ({ size: seen.size }),
        tools: (tool) => ({
          look: tool({
            run: (_, { state }) => {
              state.seen.set(state.seen.size + 1, -0);
              return { odd: state.odd.map(String), at: state.at.getTime(), zero: Object.is(state.seen.get(1), -0) };
            },
          }),
        }),
      });
    const [one, other] = [await make(), await make()];
    const { id } = await one.start();
    const found = await other.episodes.find(id);
    expect(await other.call(found ?? (await one.start()), "look")).toEqual({
      odd: ["NaN", "undefined", "1"],
      at: 0,
      zero: true,
    });
    await one.close();
    await other.close();
  });
});

interface Answer {
  readonly result?: unknown;
  readonly error?: string;
}

interface Served {
  readonly environment: Environment;
  start(options: object): Promise<{ id: string }>;
  call(episode: string, tool: string, input: object, headers?: Record<string, string>): Promise<Answer>;
  state(episode: string): Promise<Record<string, unknown>>;
  end(episode: string): Promise<void>;
}

async function serve(
  store: Awaited<ReturnType<Parameters<Parameters<typeof describeEngines>[1]>[0]["open"]>> | undefined,
  options: { maxEpisodes?: number } = {},
): Promise<Served> {
  const counting = counter({ durability: "step", ...options });
  return serveEnvironment(store ? counting.govern({ store }) : counting);
}

async function serveEnvironment(served: Environment, options: { graceMs?: number } = {}): Promise<Served> {
  const { url } = await served.serve({ url: "http://127.0.0.1:0", ...options });
  const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Record<string, unknown>;
  };
  return {
    environment: served,
    start: async (options) => (await send("POST", "/control/episodes", options)) as { id: string },
    call: async (episode, tool, input, headers) => {
      const { result, error } = await send("POST", `/e/${episode}/mcp/execute`, { tool, arguments: input }, headers);
      return { result, error } as Answer;
    },
    state: (episode) => send("GET", `/control/episodes/${episode}`),
    end: async (episode) => void (await send("DELETE", `/control/episodes/${episode}`)),
  };
}

/** Rolls dice, each time on the next server. */
async function play(servers: readonly Served[]): Promise<unknown[]> {
  const seen: unknown[] = [];
  const { id } = await (servers[0] as Served).start({ seed: 7, config: { goal: 1000 } });
  for (const [at, server] of servers.entries()) {
    const key = { "idempotency-key": `step ${at}` };
    const answer = await server.call(id, "roll", {}, key);
    const { step_count, total_reward } = await server.state(id);
    seen.push({ answer, step_count, total_reward });
  }
  return seen;
}

function disposable<T extends Record<string, Served>>(servers: T): T & AsyncDisposable {
  return Object.assign(servers, {
    async [Symbol.asyncDispose]() {
      for (const { environment } of Object.values(servers)) await environment.close();
    },
  });
}

describe("an environment without a store that can save episodes", () => {
  it("keeps them in memory", async () => {
    const counting = counter({ durability: "step" });
    const { id } = await counting.start();
    expect(counting.episodes.findHere(id)?.revision).toBe(0);
    await counting.close();
  });
});
