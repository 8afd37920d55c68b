import { environment } from "biplane";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { maxTraceBytes } from "../../packages/biplane/src/admin/runs/run-repository.ts";
import type { TraceDetail, TraceInfo } from "../../packages/biplane/src/admin/runs/trace-api.ts";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { randomAgent } from "../../packages/biplane/src/rollout/agent/random.ts";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import { make } from "../../packages/biplane/src/rollout/make.ts";
import { rollout } from "../../packages/biplane/src/rollout/rollout.ts";
import { readTraces } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { playAll } from "../rollout/playing.ts";
import { openRunGateway } from "./run-server.ts";
import type { Problem } from "./run-server.ts";

interface Traces {
  readonly traces: readonly TraceInfo[];
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
  "a page, a filter or one of very many traces is found by reading few rows",
  async () => {
    const count = isSoak ? 100_000 : 1100;
    await using gateway = await openRunGateway([frozenLake()]);
    await using game = smallGame();
    const timings: Record<string, number> = {};
    const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
      const startedAt = performance.now();
      const made = await work();
      timings[what] = Math.round((performance.now() - startedAt) * 10) / 10;
      return made;
    };
    await timed("playing", async () => {
      const options = { agent: randomAgent(), store: gateway.runs, run: "many", concurrency: 512, env: {} };
      await using envs = await make(game, { rows: seedRows(seeds(count)) });
      for await (const { trace } of rollout(envs, options)) expect(trace.ending.reason).toBe("control_plane_signal");
    });
    await timed("the first page, cold", () => gateway.ask("GET /api/runs/many/traces"));
    await timed("the list of runs", () => gateway.ask("GET /api/runs"));
    await timed("the run's figures", () => gateway.ask("GET /api/runs/many"));
    const queries = {
      "the first page": "",
      "by reward": "order=-reward",
      "by reward again": "order=-reward",
      "by steps": "order=steps",
      "by duration": "order=-duration",
      "rewards of 99 and more": "minReward=99&order=reward",
      "a seed": `query=${count - 1}`,
      "a row": "query=seed_77",
      "a reason that nothing has": "reason=max_steps",
      "a thousand": "limit=1000&order=-steps",
    };
    for (const [what, query] of Object.entries(queries)) {
      const { status, json } = await timed(what, () => gateway.ask<Traces>(`GET /api/runs/many/traces?${query}`));
      expect([what, status]).toEqual([what, 200]);
      expect(json.traces.length).toBeLessThanOrEqual(1000);
    }
    const best = await gateway.ask<Traces>("GET /api/runs/many/traces?order=-reward&limit=5");
    const rewards = best.json.traces.map(({ reward }) => reward);
    expect(rewards).toEqual(rewards.toSorted((one, other) => Number(other) - Number(one)));
    expect(rewards[0]).toBeGreaterThan(95);
    const deep = await timed("the page after", () =>
      gateway.ask<Traces>(`GET /api/runs/many/traces?order=-reward&limit=5&after=${best.json.next ?? ""}`),
    );
    expect(deep.json.traces[0]?.reward).toBeLessThanOrEqual(rewards.at(-1) ?? 0);
    for (const { id, steps } of [...best.json.traces, ...deep.json.traces]) {
      const { json } = await timed("one trace", () =>
        gateway.ask<TraceDetail>(`GET /api/traces/${encodeURIComponent(id)}`),
      );
      expect(json.trace).toHaveLength(steps);
    }
    const memory = Math.round(process.memoryUsage().heapUsed / 2 ** 20);
    if (isSoak) process.stdout.write(`${count} traces, ${memory} MB: ${JSON.stringify(timings, undefined, 1)}\n`);
  },
  isSoak ? 1_800_000 : 60_000,
);

describe("a trace", () => {
  test("is read step by step", async () => {
    const lake = frozenLake();
    await using gateway = await openRunGateway([lake]);
    const options = { agent: randomAgent(), store: gateway.runs, run: "a/b: c", steps: 6 };
    await playAll(lake, seedRows([42, 7], { prompt: "You see {observation}" }), options);
    const { json: list } = await gateway.ask<Traces>(`GET /api/runs/${encodeURIComponent("a/b: c")}/traces?query=7`);
    const { score, ...shown } = list.traces[0] as TraceInfo;
    expect(shown).toMatchObject({ run: "a/b: c", rowId: "seed_7", seed: "7", index: 1, agent: "random" });
    expect(score).toBeNull();
    const { json } = await gateway.ask<TraceDetail>(`GET /api/traces/${encodeURIComponent(shown.id)}`);
    const played = (await readTraces(gateway.runs, "a/b: c")).find(({ index }) => index === 1);
    expect(json).toMatchObject({ ...shown, canReplay: true });
    expect(json.observation).toEqual(played?.observation);
    expect(json.messages).toEqual(played?.messages);
    expect(json.trace).toEqual(played?.steps);
    expect(json.ending).toEqual(played?.ending);
  });

  test("that is too long is not read into the memory of the server", async () => {
    const lake = frozenLake();
    await using gateway = await openRunGateway([lake]);
    await playAll(lake, seedRows([1]), { agent: randomAgent(), store: gateway.runs, run: "long", steps: 2 });
    const { json: list } = await gateway.ask<Traces>("GET /api/runs/long/traces");
    const id = encodeURIComponent(list.traces[0]?.id ?? "");
    const longer = sql<string>`line || printf('%*s', ${maxTraceBytes}, '')`;
    await gateway.runs.db.updateTable("trace_events").set({ line: longer }).where("sequence", "=", 1).execute();
    for (const route of [`GET /api/traces/${id}`, `GET /api/compare?left=${id}&right=${id}`]) {
      const { status, json } = await gateway.ask<Problem>(route);
      expect([status, json.message]).toEqual([501, expect.stringMatching(/^The trace has \d+ bytes, and at most/)]);
    }
  });

  test("shows no secret of the server, wherever it was recorded, and neither does its replay", async () => {
    const secret = "planted-0123456789";
    let starts = 0;
    const vault = () =>
      environment({
        name: "vault",
        version: "1",
        start: () => ({ starts: ++starts }),
        observe: (state) => ({ said: `${secret} ${state.starts}` }),
        tools: (define) => ({ look: define({ run: () => secret }) }),
      });
    await using elsewhere = vault();
    await using gateway = await openRunGateway([vault()], { secrets: { TOKEN: secret } });
    const agent = scriptedAgent([{ tool: "look", input: { [secret]: secret } }]);
    const row = { messages: [{ role: "user", content: secret }], input_metadata: { row_id: secret } };
    await playAll(elsewhere, [row], { agent, store: gateway.runs, run: "r", steps: 1 });
    const list = await gateway.ask<Traces>("GET /api/runs/r/traces");
    const id = encodeURIComponent(list.json.traces[0]?.id ?? "");
    const asked = [
      list,
      await gateway.ask(`GET /api/traces/${id}`),
      await gateway.ask(`GET /api/compare?left=${id}&right=${id}`),
      await gateway.ask(`POST /api/traces/${id}/replay`, {}),
    ];
    expect(asked.map(({ status }) => status)).toEqual([200, 200, 200, 201]);
    expect(asked.filter(({ text }) => text.includes(secret)).map(({ text }) => text)).toEqual([]);
    expect(asked.every(({ text }) => text.includes("[REDACTED:TOKEN]"))).toBe(true);
  });

  test("may hold anything: it is returned as data, and cut if long", async () => {
    await using gateway = await openRunGateway([frozenLake()]);
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
        tool: "say",
        input: JSON.parse(`{"__proto__":{"polluted":true},"text":${JSON.stringify(hostile)}}`) as Record<
          string,
          unknown
        >,
      },
      { tool: "say", input: { long } },
    ]);
    const content = [
      { type: "text" as const, text: hostile },
      { type: "image_url" as const, image_url: { url: picture } },
      { type: "image_url" as const, image_url: { url: `data:image/png;base64,${long}` } },
    ];
    const row = { messages: [{ role: "user", content }], input_metadata: { row_id: hostile.repeat(20) } };
    await playAll(odd, [row], { agent, store: gateway.runs, run: hostile, steps: 2 });
    const { json: list } = await gateway.ask<Traces>(
      `GET /api/runs/${encodeURIComponent(hostile)}/traces?query=${encodeURIComponent(hostile.slice(0, 5))}`,
    );
    expect(list.traces[0]?.rowId.startsWith(hostile)).toBe(true);
    expect(list.traces[0]?.rowId.length).toBeLessThan(300);
    const { json, text } = await gateway.ask<TraceDetail>(
      `GET /api/traces/${encodeURIComponent(list.traces[0]?.id ?? "")}`,
    );
    expect(text.length).toBeLessThan(3_000_000);
    expect(json.canReplay).toBe(false);
    expect(json.messages[0]?.content).toMatchObject([
      { type: "text", text: hostile },
      { type: "image_url", image_url: { url: picture } },
      { type: "text", text: expect.stringMatching(/^\(an image of \d+ characters, not shown\)$/) as string },
    ]);
    expect(json.trace[0]).toMatchObject({ observation: { [hostile]: hostile }, call: { input: { text: hostile } } });
    expect(JSON.stringify(json.trace[1]?.call)).toMatch(/z… \(\d+ more characters\)/);
    expect(JSON.stringify(json.observation)).toMatch(/y… \(\d+ more characters\)/);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test("that is damaged does not affect the others", async () => {
    const lake = frozenLake();
    await using gateway = await openRunGateway([lake]);
    await playAll(lake, seedRows([1, 2]), { agent: randomAgent(), store: gateway.runs, run: "good", steps: 3 });
    const { db } = gateway.runs;
    const [one, other] = (await gateway.ask<Traces>("GET /api/runs/good/traces")).json.traces;
    const lines = db.updateTable("trace_events").where("rollout", "=", one?.id.split(":")[1] ?? "");
    await lines.set({ line: "{" }).where("sequence", "=", 1).execute();
    await lines.set({ line: '{"type":"step","reward":"<b>"}' }).where("sequence", "=", 2).execute();
    expect((await gateway.ask("GET /api/runs/good")).status).toBe(200);
    expect((await gateway.ask(`GET /api/traces/${one?.id}`)).status).toBe(404);
    expect((await gateway.ask(`GET /api/traces/${other?.id}`)).status).toBe(200);
    expect(gateway.faults).toEqual([]);
  });

  test("lists refuse invalid queries", async () => {
    const lake = frozenLake();
    await using gateway = await openRunGateway([lake]);
    await playAll(lake, seedRows([1]), { agent: randomAgent(), store: gateway.runs, run: "a", steps: 3 });
    for (const query of [
      "order=name",
      "minReward=x",
      "maxReward=",
      "limit=0",
      "limit=1001",
      "after=%3Cscript%3E",
      "minReward=1e999",
    ]) {
      const { status, json } = await gateway.ask<Problem>(`GET /api/runs/a/traces?${query}`);
      expect([query, status, json.error]).toEqual([query, 400, "INVALID_INPUT"]);
    }
  });
});
