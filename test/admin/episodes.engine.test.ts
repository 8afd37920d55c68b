import { ask, deny, environment } from "biplane";
import { describe, expect, test } from "vitest";
import type {
  EpisodeDetail,
  PlayedStep,
  EpisodeSummary,
} from "../../packages/biplane/src/admin/episodes/episode-api.ts";
import { blackjack } from "../../packages/gallery/src/blackjack/blackjack.ts";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { openRunGateway } from "./run-server.ts";
import type { Problem, RunGateway } from "./run-server.ts";
import { within } from "../support/within.ts";

interface Episodes {
  readonly episodes: readonly EpisodeSummary[];
  readonly next: string | null;
}

const hostile = `<script>alert(1)</script>\u001B[2J\u202Etxt</td>"'\u2028`;

async function begin(gateway: RunGateway, server = "frozen-lake", seed = 42): Promise<EpisodeDetail> {
  const { status, json } = await gateway.ask<EpisodeDetail>("POST /api/episodes", { server, seed });
  expect(status).toBe(201);
  return json;
}

const move = (gateway: RunGateway, id: string, action: string) =>
  gateway.ask<PlayedStep>(`POST /api/episodes/${id}/calls`, { tool: "lake_move", input: { action } });

describe("an episode by hand", () => {
  test("is started, drawn, played and ended, and shows the result of every step", async () => {
    await using gateway = await openRunGateway([frozenLake(), blackjack()]);
    const episode = await begin(gateway);
    expect(episode).toMatchObject({
      server: "frozen-lake",
      seed: "42",
      stepCount: 0,
      terminated: false,
      origin: null,
      forkOf: null,
      playedBy: null,
      canFork: true,
      observation: { position: 0 },
      rendered: { kind: "text", text: expect.stringContaining("FHF") as string },
      tools: [{ name: "lake_move", needsEpisode: true }],
      steps: [],
    });
    for (const action of ["DOWN", "DOWN", "RIGHT", "RIGHT", "DOWN"]) {
      const { json } = await move(gateway, episode.id, action);
      expect(json).toMatchObject({ outcome: "done", message: null });
    }
    const { json: last } = await move(gateway, episode.id, "RIGHT");
    expect(last.result?.structuredContent).toMatchObject({ position: 15 });
    expect(last.episode).toMatchObject({ terminated: true, totalReward: 1, lastReward: 1, stepCount: 6 });
    expect(last.episode.playedBy).toEqual({
      agentId: "page",
      principal: { kind: "person", id: "ada" },
      route: "people",
    });
    expect(last.episode.steps.map(({ step, reward }) => [step, reward])).toEqual([
      [1, 0],
      [2, 0],
      [3, 0],
      [4, 0],
      [5, 0],
      [6, 1],
    ]);
    expect(last.episode.steps[0]).toMatchObject({ tool: "lake_move", input: { action: "DOWN" }, outcome: "done" });
    const call = await gateway.ask(`GET /api/calls/${last.episode.steps[0]?.call ?? ""}`);
    expect(call.json).toMatchObject({ route: "people", principal: { kind: "person", id: "ada" }, episode: episode.id });
    const over = await move(gateway, episode.id, "UP");
    expect([over.status, over.json.outcome, over.json.result]).toEqual([200, "EPISODE_ENDED", null]);
    expect((await gateway.ask(`DELETE /api/episodes/${episode.id}`)).status).toBe(204);
    expect((await gateway.ask(`GET /api/episodes/${episode.id}`)).status).toBe(404);
    expect((await gateway.ask(`DELETE /api/episodes/${episode.id}`)).status).toBe(404);
    expect((await move(gateway, episode.id, "UP")).status).toBe(404);
  });

  test("is forked, and the two go their own ways from there", async () => {
    await using gateway = await openRunGateway([frozenLake()]);
    const { id } = await begin(gateway);
    await move(gateway, id, "DOWN");
    const { status, json: fork } = await gateway.ask<EpisodeDetail>(`POST /api/episodes/${id}/fork`, {});
    expect(status).toBe(201);
    expect(fork).toMatchObject({ stepCount: 1, seed: "42", observation: { position: 4 } });
    expect(fork.id).not.toBe(id);
    expect(fork.steps).toHaveLength(1);
    expect(fork).toMatchObject({ forkOf: { episode: id, step: 1 }, forks: [] });
    const { json: forked } = await gateway.ask<EpisodeDetail>(`GET /api/episodes/${id}`);
    expect(forked).toMatchObject({ forkOf: null, forks: [{ episode: fork.id, step: 1 }] });
    await move(gateway, fork.id, "DOWN");
    const [here, there] = [
      (await gateway.ask<EpisodeDetail>(`GET /api/episodes/${id}`)).json,
      (await gateway.ask<EpisodeDetail>(`GET /api/episodes/${fork.id}`)).json,
    ];
    expect([here.observation, there.observation]).toMatchObject([{ position: 4 }, { position: 8 }]);
    expect([here.steps.length, there.steps.length]).toEqual([1, 2]);
  });

  test("goes through the call pipeline: rules, approval and audit apply", async () => {
    const policies = [
      (_: unknown, __: string, input: unknown) => {
        const { action } = input as { action: string };
        if (action === "UP") return deny("nobody goes up");
        return action === "LEFT" ? ask("May it go left?") : { verdict: "allow" as const };
      },
    ];
    await using gateway = await openRunGateway([frozenLake()], { policies });
    const { id } = await begin(gateway);
    const up = await move(gateway, id, "UP");
    expect(up.json).toMatchObject({ outcome: "POLICY_DENIED", message: "nobody goes up", result: null });
    const left = await move(gateway, id, "LEFT");
    expect(left.json.outcome).toBe("APPROVAL_PENDING");
    const waiting = await gateway.ask<{ approvals: unknown[] }>("GET /api/approvals?status=waiting");
    expect(waiting.json.approvals).toMatchObject([{ tool: "lake_move", principal: { kind: "person", id: "ada" } }]);
    const wrong = await gateway.ask<PlayedStep>(`POST /api/episodes/${id}/calls`, {
      tool: "lake_move",
      input: { to: 1 },
    });
    expect(wrong.json.outcome).toBe("INVALID_INPUT");
    const unknown = await gateway.ask<PlayedStep>(`POST /api/episodes/${id}/calls`, { tool: "reset" });
    expect(unknown.json.outcome).toBe("TOOL_NOT_FOUND");
    expect(unknown.json.episode).toMatchObject({ stepCount: 0 });
    expect(unknown.json.episode.steps.map(({ outcome, step }) => [outcome, step])).toEqual([
      ["POLICY_DENIED", 0],
      ["APPROVAL_PENDING", 0],
      ["INVALID_INPUT", 0],
    ]);
    const audit = await gateway.ask<{ lines: { entry?: unknown }[] }>("GET /api/audit?principal=ada");
    expect(audit.text).toContain("episodes/start");
    expect(audit.text).toContain("nobody goes up");
  });
});

describe("the list of episodes", () => {
  test("has those of every endpoint, newest first, by server and by status, in pages", async () => {
    const [lake, cards] = [frozenLake(), blackjack()];
    await using gateway = await openRunGateway([lake, cards]);
    for (let at = 0; at < 5; at++) await lake.start({ seed: at, label: `mine ${at}` });
    const dealt = await cards.start({ seed: 1 });
    await cards.call(dealt, "blackjack_move", { action: "STICK" });
    const all: EpisodeSummary[] = [];
    for (let after = ""; ;) {
      const { json } = await gateway.ask<Episodes>(`GET /api/episodes?limit=2${after}`);
      all.push(...json.episodes);
      if (json.next === null) break;
      expect(json.episodes).toHaveLength(2);
      after = `&after=${json.next}`;
    }
    expect(new Set(all.map(({ id }) => id)).size).toBe(6);
    expect(all.map(({ startedAt }) => startedAt)).toEqual(
      all
        .map(({ startedAt }) => startedAt)
        .sort()
        .reverse(),
    );
    const lakes = await gateway.ask<Episodes>("GET /api/episodes?server=frozen-lake&status=open");
    const labels = lakes.json.episodes.map(({ label }) => label ?? "");
    expect(labels.toSorted()).toEqual([0, 1, 2, 3, 4].map((at) => `mine ${at}`));
    const over = await gateway.ask<Episodes>("GET /api/episodes?status=over");
    expect(over.json).toMatchObject({ episodes: [{ id: dealt.id, terminated: true, stepCount: 1 }], next: null });
    expect((await gateway.ask("GET /api/episodes?server=nothing")).status).toBe(400);
    expect((await gateway.ask("GET /api/episodes?status=asleep")).status).toBe(400);
  });

  test("needs a signed-in person with the scope", async () => {
    await using gateway = await openRunGateway([frozenLake()]);
    await gateway.logIn("bob", ["runs"]);
    for (const line of ["GET /api/episodes", "POST /api/episodes", "GET /api/episodes/x", "DELETE /api/episodes/x"]) {
      const body = line.startsWith("GET") ? undefined : {};
      expect([line, (await gateway.ask(line, body, "bob")).status]).toEqual([line, 403]);
      expect([line, (await gateway.ask(line, body, "nobody")).status]).toEqual([line, 401]);
    }
  });

  test("in production episodes are read-only", async () => {
    const lake = frozenLake();
    await using gateway = await openRunGateway([lake], {
      mode: "production",
      policies: [() => ({ verdict: "allow" })],
    });
    const { id } = await lake.start({ seed: 42 });
    expect((await gateway.ask<Episodes>("GET /api/episodes")).json.episodes).toHaveLength(1);
    const { status, json } = await gateway.ask<EpisodeDetail>(`GET /api/episodes/${id}`);
    expect([status, json.canFork, json.observation]).toMatchObject([200, false, { position: 0 }]);
    const changes: [string, unknown][] = [
      ["POST /api/episodes", { server: "frozen-lake" }],
      [`POST /api/episodes/${id}/calls`, { tool: "lake_move", input: { action: "DOWN" } }],
      [`POST /api/episodes/${id}/fork`, {}],
      [`DELETE /api/episodes/${id}`, undefined],
    ];
    for (const [line, body] of changes) {
      const refused = await gateway.ask<Problem>(line, body);
      expect([line, refused.status, refused.json.error]).toEqual([line, 403, "FORBIDDEN"]);
    }
    expect(lake.episodes.findHere(id)?.stepCount).toBe(0);
  });
});

describe("what episodes hold", () => {
  test("passes as data, without secrets, and cut where it is long", async () => {
    const secret = "tr0ub4dor-and-3-s3cret";
    const odd = environment({
      name: "odd",
      version: "1",
      start: () => ({ said: "" }),
      observe: ({ said }) => ({ said, secret, hostile }),
      render: ({ said }) => `${hostile} ${secret} ${said}`,
      tools: (define) => ({
        say: define({
          input: { type: "object", properties: { text: { type: "string" } } },
          run: ({ text }, call) => {
            call.state.said = String(text);
          },
        }),
      }),
    });
    await using gateway = await openRunGateway([odd], { secrets: { TOKEN: secret } });
    const { id, observation, rendered } = await begin(gateway, "odd");
    expect(observation).toEqual({ said: "", secret: "[REDACTED:TOKEN]", hostile });
    expect(rendered).toEqual({ kind: "text", text: `${hostile} [REDACTED:TOKEN] ` });
    const long = "x".repeat(600_000);
    const played = await gateway.ask<PlayedStep>(`POST /api/episodes/${id}/calls`, {
      tool: "say",
      input: { text: long },
    });
    expect(played.json.outcome).toBe("done");
    expect(played.text.length).toBeLessThan(1_000_000);
    expect(played.text).toMatch(/\d+ more characters/);
    const said = await gateway.ask<PlayedStep>(`POST /api/episodes/${id}/calls`, {
      tool: "say",
      input: { text: hostile },
    });
    expect(said.json.episode.steps.at(-1)).toMatchObject({
      input: { text: hostile },
      result: { structuredContent: { said: hostile } },
    });
    expect(said.text).not.toContain(secret);
  });

  test("of many steps the last two hundred are kept, and nothing once it has ended", async () => {
    const counter = environment({
      name: "counter",
      version: "1",
      start: () => ({ count: 0 }),
      observe: ({ count }) => ({ count }),
      tools: (define) => ({ add: define({ run: (_, call) => void call.state.count++ }) }),
    });
    await using gateway = await openRunGateway([counter]);
    const episode = await counter.start();
    for (let at = 0; at < 250; at++) await counter.call(episode, "add");
    const { json } = await gateway.ask<EpisodeDetail>(`GET /api/episodes/${episode.id}`);
    expect(json.steps).toHaveLength(200);
    expect([json.steps[0]?.step, json.steps.at(-1)?.step]).toEqual([51, 250]);
    await counter.episodes.end(episode);
    expect((await gateway.ask(`GET /api/episodes/${episode.id}`)).status).toBe(404);
  });

  test("an environment that cannot start or render returns an error and does not hang", async () => {
    const broken = environment({
      name: "broken",
      version: "1",
      config: { type: "object", properties: { start: { type: "boolean" } } },
      start: ({ config }) => {
        if (config["start"] === false) throw new Error("the engine is cold");
        return {};
      },
      observe: (_, { stepCount }) => {
        if (stepCount > 0) throw new Error("blind");
        return { picture: 1 };
      },
      render: () => new Promise<string>(() => undefined),
      open: () => ({}),
      tools: (define) => ({ go: define({ run: () => "gone" }) }),
    });
    const image = environment({
      name: "painter",
      version: "1",
      start: () => ({}),
      observe: () => null,
      render: () => "data:image/png;base64,aGVsbG8=",
      tools: (define) => ({ go: define({ run: () => "gone" }) }),
    });
    await using gateway = await openRunGateway([broken, image]);
    const cold = await gateway.ask<Problem>("POST /api/episodes", { server: "broken", config: { start: false } });
    expect([cold.status, cold.json.error]).toEqual([500, "EXECUTION_ERROR"]);
    expect(cold.json.message).toContain("the engine is cold");
    const { id, rendered, canFork } = await begin(gateway, "broken");
    expect([rendered, canFork]).toEqual([null, false]);
    const played = await gateway.ask<PlayedStep>(`POST /api/episodes/${id}/calls`, { tool: "go" });
    expect(played.json).toMatchObject({ outcome: "done", episode: { observation: null, stepCount: 1 } });
    const fork = await gateway.ask<Problem>(`POST /api/episodes/${id}/fork`, {});
    expect([fork.status, fork.json.error]).toEqual([501, "NOT_SUPPORTED"]);
    expect((await begin(gateway, "painter")).rendered).toEqual({
      kind: "image",
      mimeType: "image/png",
      data: "aGVsbG8=",
    });
  });

  test("an invalid request is refused with a reason", async () => {
    await using gateway = await openRunGateway([frozenLake()]);
    const bodies: [unknown, RegExp][] = [
      [{ server: "taxi" }, /server must be one of frozen-lake/],
      [{ server: "frozen-lake", seed: "x" }, /seed must match the pattern/],
      [{ server: "frozen-lake", seed: 1.5 }, /seed must be/],
      [{ server: "frozen-lake", seed: -1 }, /./],
      [{ server: "frozen-lake", config: { map_name: 7 } }, /Invalid config/],
      [{ server: "frozen-lake", sed: 1 }, /^sed is not a known key; did you mean seed\?$/],
      [[], /^The body must be object, got array\.$/],
    ];
    for (const [body, message] of bodies) {
      const { status, json } = await gateway.ask<Problem>("POST /api/episodes", body);
      expect([JSON.stringify(body), status]).toEqual([JSON.stringify(body), 400]);
      expect(json.message).toMatch(message);
    }
    const big = await gateway.ask<EpisodeDetail>("POST /api/episodes", {
      server: "frozen-lake",
      seed: "18446744073709551617",
    });
    expect(big.json.seed).toBe("18446744073709551617");
  });
});

test("the start, steps and end of an episode are published as events, whichever endpoint it used", async () => {
  const lake = frozenLake();
  await using gateway = await openRunGateway([lake]);
  const news = gateway.hear("episodes");
  await news.next();
  const hear = async (id: string): Promise<boolean> => {
    for (;;) {
      const { value = [] } = (await within(5000, `news of ${id}`, news.next())) as { value?: readonly string[] };
      if (value.includes(id)) return true;
    }
  };
  const { id } = await begin(gateway);
  expect(await hear(id)).toBe(true);
  await move(gateway, id, "DOWN");
  expect(await hear(id)).toBe(true);
  const other = await lake.start({ seed: 1 }); // as a trainer's handler does
  expect(await hear(other.id)).toBe(true);
  await lake.episodes.end(other);
  expect(await hear(other.id)).toBe(true);
  await news.return(undefined);
});
