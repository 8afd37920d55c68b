import { environment } from "biplane";
import { describe, expect, test } from "vitest";
import type { OpenedTrace, ShownTrace } from "../../src/desk/contract.ts";
import { frozenLake } from "../../src/gallery/frozen-lake/frozen-lake.ts";
import { randomAgent } from "../../src/rollout/agent/random.ts";
import { scriptedAgent } from "../../src/rollout/agent/scripted.ts";
import { make } from "../../src/rollout/make.ts";
import { rollout } from "../../src/rollout/rollout.ts";
import { findRun, readTraces, saveRun } from "../../src/rollout/run.ts";
import { seedRows } from "../../src/rollout/row.ts";
import { logOf } from "../../src/rollout/trace-index.ts";
import { playAll } from "../rollout/playing.ts";
import { openRunHouse } from "./run-house.ts";
import type { Problem } from "./run-house.ts";

interface Traces {
  readonly traces: readonly ShownTrace[];
  readonly next: string | null;
}

const isSoak = Boolean(process.env["BIPLANE_SOAK"]);
const seeds = (count: number) => Array.from({ length: count }, (_, at) => at);
const hostile = `<img src=x onerror=alert(1)>\u001B]0;t\u0007\u202Etxt\u2028"'&{{}}`;

/** A game of a step or two, worth what its seed says: small traces, many different rewards. */
function smallGame() {
  return environment({
    name: "small",
    version: "1",
    start: ({ random }) => ({ left: 1 + random.integers(0, 2), worth: random.integers(0, 1000) }),
    observe: ({ left }) => ({ left }),
    tools: (define) => ({ go: define({ run: (_, call) => void call.state.left-- }) }),
    reward: ({ after }) => (after.left === 0 ? after.worth / 10 : 0),
    status: ({ left }) => ({ terminated: left === 0 }),
  });
}

test(
  "of very many traces a page, a filter, an order or one trace is found by reading next to nothing",
  async () => {
    const count = isSoak ? 100_000 : 2000;
    await using house = await openRunHouse([frozenLake()]);
    await using game = smallGame();
    const timings: Record<string, number> = {};
    const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
      const startedAt = performance.now();
      const made = await work();
      timings[what] = Math.round((performance.now() - startedAt) * 10) / 10;
      return made;
    };
    await timed("playing", async () => {
      const options = { agent: randomAgent(), store: house.runs, run: "many", concurrency: 512, env: {} };
      await using envs = await make(game, { rows: seedRows(seeds(count)) });
      for await (const { trace } of rollout(envs, options)) expect(trace.ending.reason).toBe("control_plane_signal");
    });
    await timed("the first page, cold", () => house.ask("GET /api/runs/many/traces"));
    await timed("the list of runs", () => house.ask("GET /api/runs"));
    await timed("the run's figures", () => house.ask("GET /api/runs/many"));
    const queries = {
      "the first page": "",
      "by reward": "order=-reward",
      "by reward again": "order=-reward",
      "by steps": "order=steps",
      "by duration": "order=-duration",
      "rewards of 99 and more": "least=99&order=reward",
      "a seed": `query=${count - 1}`,
      "a row": "query=seed_77",
      "a reason that nothing has": "reason=max_steps",
      "a thousand": "limit=1000&order=-steps",
    };
    for (const [what, query] of Object.entries(queries)) {
      house.runs.rows = 0;
      const { status, json } = await timed(what, () => house.ask<Traces>(`GET /api/runs/many/traces?${query}`));
      expect([what, status]).toEqual([what, 200]);
      expect(json.traces.length).toBeLessThanOrEqual(1000);
      expect(house.runs.rows).toBeLessThanOrEqual(3); // the run, and whether there is anything new
    }
    const best = await house.ask<Traces>("GET /api/runs/many/traces?order=-reward&limit=5");
    const rewards = best.json.traces.map(({ reward }) => reward);
    expect(rewards).toEqual(rewards.toSorted((one, other) => other - one));
    expect(rewards[0]).toBeGreaterThan(95);
    const deep = await timed("the page after", () =>
      house.ask<Traces>(`GET /api/runs/many/traces?order=-reward&limit=5&after=${best.json.next ?? ""}`),
    );
    expect(deep.json.traces[0]?.reward).toBeLessThanOrEqual(rewards.at(-1) ?? 0);
    for (const { id, steps } of [...best.json.traces, ...deep.json.traces]) {
      house.runs.rows = 0;
      const { json } = await timed("one trace", () =>
        house.ask<OpenedTrace>(`GET /api/traces/${encodeURIComponent(id)}`),
      );
      expect(json.trace).toHaveLength(steps);
      expect(house.runs.rows).toBeLessThanOrEqual(steps + 6); // its lines, a line of the index, and the three above
    }
    const memory = Math.round(process.memoryUsage().heapUsed / 2 ** 20);
    if (isSoak) process.stdout.write(`${count} traces, ${memory} MB: ${JSON.stringify(timings, undefined, 1)}\n`);
  },
  isSoak ? 1_800_000 : 30_000,
);

describe("a trace", () => {
  test("is opened step by step, as it was played", async () => {
    const lake = frozenLake();
    await using house = await openRunHouse([lake]);
    const options = { agent: randomAgent(), store: house.runs, run: "a/b: c", steps: 6 };
    await playAll(lake, seedRows([42, 7], { prompt: "You see {observation}" }), options);
    const { json: list } = await house.ask<Traces>(`GET /api/runs/${encodeURIComponent("a/b: c")}/traces?query=7`);
    const [shown] = list.traces;
    expect(shown).toMatchObject({ run: "a/b: c", rowId: "seed_7", seed: "7", index: 1, agent: "random" });
    const { json } = await house.ask<OpenedTrace>(`GET /api/traces/${encodeURIComponent(shown?.id ?? "")}`);
    const played = (await readTraces(house.runs, "a/b: c")).find(({ index }) => index === 1);
    expect(json).toMatchObject({ ...shown, canReplay: true });
    expect(json.observation).toEqual(played?.observation);
    expect(json.messages).toEqual(played?.messages);
    expect(json.trace).toEqual(played?.steps);
    expect(json.ending).toEqual(played?.ending);
  });

  test("may hold anything: it is passed on as data, and cut where it is long", async () => {
    await using house = await openRunHouse([frozenLake()]);
    const odd = environment({
      name: hostile.replaceAll(/[^a-z]/g, ""),
      version: "1",
      start: () => ({ count: 0 }),
      observe: () => ({ said: hostile, ["__proto__x"]: 1, picture: "y".repeat(300_000) }),
      tools: (define) => ({
        say: define({ input: { type: "object", additionalProperties: true }, run: () => ({ [hostile]: hostile }) }),
      }),
    });
    await using _ = odd;
    const long = "z".repeat(3_000_000);
    const picture = `data:image/png;base64,${"A".repeat(1000)}`;
    const agent = scriptedAgent([
      {
        name: "say",
        input: JSON.parse(`{"__proto__":{"polluted":true},"text":${JSON.stringify(hostile)}}`) as Record<
          string,
          unknown
        >,
      },
      { name: "say", input: { long } },
    ]);
    const content = [
      { type: "text" as const, text: hostile },
      { type: "image_url" as const, image_url: { url: picture } },
      { type: "image_url" as const, image_url: { url: `data:image/png;base64,${long}` } },
    ];
    const row = { messages: [{ role: "user", content }], input_metadata: { row_id: hostile.repeat(20) } };
    await playAll(odd, [row], { agent, store: house.runs, run: hostile, steps: 2 });
    const { json: list } = await house.ask<Traces>(`GET /api/runs/${encodeURIComponent(hostile)}/traces?query=onerror`);
    expect(list.traces[0]?.rowId.startsWith(hostile)).toBe(true);
    expect(list.traces[0]?.rowId.length).toBeLessThan(300);
    const { json, text } = await house.ask<OpenedTrace>(
      `GET /api/traces/${encodeURIComponent(list.traces[0]?.id ?? "")}`,
    );
    expect(text.length).toBeLessThan(3_000_000);
    expect(json.canReplay).toBe(false);
    expect(json.messages[0]?.content).toMatchObject([
      { type: "text", text: hostile },
      { type: "image_url", image_url: { url: picture } },
      { type: "text", text: expect.stringMatching(/^\(a picture of \d+ characters, not shown\)$/) as string },
    ]);
    expect(json.trace[0]).toMatchObject({ observation: { [hostile]: hostile }, call: { input: { text: hostile } } });
    expect(JSON.stringify(json.trace[1]?.call)).toMatch(/z… \(\d+ more characters\)/);
    expect(JSON.stringify(json.observation)).toMatch(/y… \(\d+ more characters\)/);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test("that was written badly is no harm to the others", async () => {
    const lake = frozenLake();
    await using house = await openRunHouse([lake]);
    await playAll(lake, seedRows([1, 2]), { agent: randomAgent(), store: house.runs, run: "good", steps: 3 });
    const lines = (await house.runs.read(logOf("good"))).map(({ line }) => line);
    const broken = [
      "{",
      '{"type":"begin","rollout":"x"}',
      '{"type":"begin","rollout":"y","index":"7","repetition":5,"messages":[],"tools":[],"faults":[]}',
      '{"type":"step","rollout":"y","reward":"<b>","messages":[],"faults":[]}',
      '{"type":"end","rollout":"y","messages":[],"ending":{}}',
      '{"type":"end","rollout":"x"}',
    ];
    await saveRun(house.runs, { ...(await findRun(house.runs, "good")), id: "bad", rows: 3 });
    await house.runs.append(logOf("bad"), [...broken, ...lines]);
    const { status, json } = await house.ask<Traces>("GET /api/runs/bad/traces");
    expect([status, json.traces.length]).toEqual([200, 3]); // what can be made of it is shown
    for (const { id } of json.traces) expect((await house.ask(`GET /api/traces/${id}`)).status).toBe(200);
    expect((await house.ask("GET /api/runs/bad")).status).toBe(200);
    expect((await house.ask("GET /api/traces/bad:x")).status).toBe(404);
    expect(house.faults).toEqual([]);
  });

  test("lists refuse what they cannot mean", async () => {
    const lake = frozenLake();
    await using house = await openRunHouse([lake]);
    await playAll(lake, seedRows([1]), { agent: randomAgent(), store: house.runs, run: "a", steps: 3 });
    for (const query of [
      "order=name",
      "least=x",
      "most=",
      "limit=0",
      "limit=1001",
      "after=%3Cscript%3E",
      "least=1e999",
    ]) {
      const { status, json } = await house.ask<Problem>(`GET /api/runs/a/traces?${query}`);
      expect([query, status, json.error]).toEqual([query, 400, "INVALID_INPUT"]);
    }
  });
});
