import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allow } from "biplane";
import type { CallEnd, Environment } from "biplane";
import { gallery } from "@biplane/gallery";
import { controlPlane, mirrored, players, post, rpc } from "./endpoints.ts";
import type { Json, Seen, Start } from "./endpoints.ts";
import { openSocket } from "../wire/openenv/socket.ts";

/** Moves that any environment of the gallery understands, made from its tools' schemas. */
function movesOf(environment: Environment): { tool: string; input: Json }[] {
  const all = Array.from(environment.server.tools, ({ name, input }) => {
    const properties = (input.json["properties"] ?? {}) as Record<
      string,
      { enum?: unknown[]; anyOf?: { enum?: unknown[] }[]; type?: string; minimum?: number }
    >;
    const values = Object.entries(properties).map(([key, { enum: all, anyOf, type, minimum = 0 }], at) => {
      const choices = all ?? anyOf?.[0]?.enum;
      if (choices) return [key, choices[at % choices.length]] as const;
      return [key, type === "integer" || type === "number" ? minimum : type === "string" ? "[crane]" : {}] as const;
    });
    return { tool: name, input: Object.fromEntries(values) };
  });
  return Array.from({ length: 6 }, (_, at) => all[at % all.length] ?? { tool: "", input: {} });
}

const episodes: Readonly<Record<string, { start: Start; moves?: { tool: string; input: Json }[] }>> = {
  "frozen-lake": {
    start: { seed: 42, config: { map_name: "4x4" } },
    moves: ["DOWN", "DOWN", "RIGHT", "RIGHT", "DOWN", "RIGHT"].map((action) => ({
      tool: "lake_move",
      input: { action },
    })),
  },
  "broadband-support": {
    start: { seed: 42, config: { task_id: "restart" } },
    moves: [
      { tool: "message_customer", input: { message: "May I have your postcode and your date of birth?" } },
      {
        tool: "customer_verify",
        input: { customer_id: "C-1001", postcode: "10214", birth_date: "1984-07-19" },
      },
      { tool: "line_test", input: { line_id: "L-2001" } },
      { tool: "message_customer", input: { message: "Please restart the router." } },
      { tool: "line_test", input: { line_id: "L-2001" } },
      { tool: "contact_close", input: { customer_id: "C-1001", outcome: "solved" } },
    ],
  },
};

describe.each(Object.keys(gallery))("%s", (name) => {
  const environment = (gallery[name] as () => Environment)();
  const { start = { seed: 42, config: {} }, moves = movesOf(environment) } = episodes[name] ?? {};
  const records: unknown[] = [];
  environment.watch({
    onEnd: ({ tool, input, value, status }: CallEnd) => records.push({ tool, input, value, status }),
    onError: ({ tool, input, error }) => records.push({ tool, input, error }),
  });
  let url = "";
  beforeAll(async () => {
    ({ url } = await environment.serve("http://127.0.0.1:0"));
  });
  afterAll(() => environment.close());

  const play = async (handler: string) => {
    const player = await (players[handler] as (typeof players)[string])(environment, url, start);
    records.length = 0;
    const seen: Seen[] = [];
    for (const { tool, input } of moves) {
      const step = await player.step(tool, input);
      seen.push(step);
      if (step.terminated || step.truncated) break;
    }
    await player.close();
    return { first: player.first, seen, raw: player.raw, records: JSON.parse(JSON.stringify(records)) as unknown };
  };

  test.each(Object.keys(players))("played %s, an episode is the same", async (handler) => {
    const { raw: _, ...expected } = await play("in process");
    const { raw, ...played } = await play(handler);
    const zero = (seen: Seen) => ({ ...seen, reward: seen.reward ?? 0 }); // Eval Protocol has no null
    expect({ ...played, seen: played.seen.map(zero) }).toEqual(
      JSON.parse(JSON.stringify({ ...expected, seen: expected.seen.map(zero) })),
    );
    expect(leaks(raw, name)).toEqual([]);
  });

  test("nothing that lists or describes says more than it may", async () => {
    const raw: string[] = [];
    for (const method of ["tools/list", "resources/list", "prompts/list", "resources/templates/list"]) {
      await post(url, "/mcp", rpc(method, {}), {}, raw);
    }
    await fetch(`${url}/mcp/capabilities`).then(async (response) => raw.push(await response.text()));
    expect(
      leaks(
        raw.filter((text) => !text.includes('"content-type"')),
        name,
      ),
    ).toEqual([]);
  });

  test("the control plane carries no observation but the first, and that one no reward", async () => {
    const clientInfo = { name: "reward-kit", version: "1.0.0", _extra: { session_id: "leak", ...start } };
    const hello = await post(
      url,
      "/mcp",
      rpc("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }),
    );
    const control = controlPlane(url, "leak");
    const first = await control("initial_state");
    expect(leaks([JSON.stringify(first)], name)).toEqual([]);
    const [move] = moves;
    await post(url, "/mcp", rpc("tools/call", { name: move?.tool, arguments: move?.input }), {
      "mcp-session-id": hello.sessionId ?? "",
    });
    for (const what of ["reward", "status"]) {
      expect(
        Object.keys(await control(what)).filter((key) => Object.hasOwn(first, key) && !isOwnField(name, key)),
      ).toEqual([]);
    }
  });

  test("an agent finds no way to steer an episode, and plays in its own if it names none", async () => {
    const names = Array.from(environment.server.tools, (tool) => tool.name);
    for (const reserved of ["reset", "step", "state", "close"]) expect(names).not.toContain(reserved);
    const raw: string[] = [];
    const [move] = moves;
    const { body } = await post(url, "/mcp", callOf(move), mirrored("tools/call", move?.tool), raw);
    expect(body).toMatchObject({ result: { content: expect.any(Array) } });
    expect(leaks(raw, name)).toEqual([]);
  });
});

describe.each(Object.keys(gallery))("%s in production", (name) => {
  const environment = (gallery[name] as () => Environment)();
  const [move] = episodes[name]?.moves ?? movesOf(environment);
  let url = "";
  beforeAll(async () => {
    environment.govern({ mode: "production", policies: [() => allow()] });
    ({ url } = await environment.serve("http://127.0.0.1:0"));
  });
  afterAll(() => environment.close());

  test("what an agent may have says nothing of reward, ending, seed and state", async () => {
    const raw: string[] = [];
    for (const path of ["/schema", "/metadata", "/openapi.json", "/mcp/capabilities"])
      raw.push(await (await fetch(url + path)).text());
    const call = { name: move?.tool, arguments: move?.input };
    const created = await post(url, "/mcp", rpc("openenv/session/create", {}), {}, raw);
    const { session_id } = created.body["result"] as Json;
    await post(url, "/mcp", rpc("tools/list", { session_id }), {}, raw);
    const { body } = await post(url, "/mcp", rpc("tools/call", { ...call, session_id }), {}, raw);
    expect(body).toMatchObject({ result: { is_error: false } });
    await post(url, "/mcp", callOf(move), mirrored("tools/call", move?.tool), raw);
    await post(url, "/mcp", rpc("resources/read", { uri: "environment://initial_state" }), {}, raw);
    const { send } = await openSocket(url, `/ws?session_id=${String(session_id)}`);
    for (const message of [rpc("tools/list", {}), rpc("tools/call", call), rpc("openenv/session/create", {})])
      raw.push(JSON.stringify(await send({ type: "mcp", data: message })));
    for (const type of ["reset", "step", "state"]) {
      const answer = await send({ type, ...(type !== "state" && { data: { seed: 1, ...call } }) });
      expect(answer).toMatchObject({ type: "error", data: { code: "EXECUTION_ERROR" } });
      raw.push(JSON.stringify(answer));
    }
    expect(leaks(raw, name)).toEqual([]);
  });

  test("an agent cannot choose the seed or the config", async () => {
    const extra = { session_id: "chosen", seed: 42, config: { map_name: "8x8" } };
    for (const clientInfo of [{ ...extra }, { _extra: extra }]) {
      const params = {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "agent", version: "1", ...clientInfo },
      };
      const before = new Set(environment.episodes);
      const { sessionId } = await post(url, "/mcp", rpc("initialize", params));
      const headers = { "mcp-session-id": sessionId ?? "" };
      await post(url, "/mcp", rpc("tools/call", { name: move?.tool, arguments: move?.input }), headers);
      const [own] = Array.from(environment.episodes).filter((episode) => !before.has(episode));
      expect(own?.seed).not.toBe(42);
      expect(own?.config).not.toMatchObject({ map_name: "8x8" });
    }
  });
});

function callOf(move: { tool: string; input: Json } | undefined): Json {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return rpc("tools/call", { name: move?.tool, arguments: move?.input, _meta });
}

const forbidden = new Set([
  "reward",
  "rewards",
  "reward_parts",
  "total_reward",
  "done",
  "terminated",
  "truncated",
  "seed",
  "step_count",
  "stepCount",
]);

/** True for what an environment tells the agent on purpose: `waiting` counts its steps, as OpenEnv's does. */
function isOwnField(environment: string, key: string): boolean {
  return environment === "waiting" && key === "step_count";
}

/** Every field of a JSON text, however deep and also in text within text, that an agent must not see. */
function leaks(texts: readonly string[], environment: string): string[] {
  const found: string[] = [];
  const walk = (value: unknown, path: string): void => {
    if (typeof value === "string" && /^\s*[[{]/.test(value)) {
      try {
        walk(JSON.parse(value), `${path}(text)`);
      } catch {
        return;
      }
    }
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (forbidden.has(key) && !isOwnField(environment, key)) found.push(`${path}/${key}`);
      walk(inner, `${path}/${key}`);
    }
  };
  for (const text of texts) walk(text, "");
  return found;
}
