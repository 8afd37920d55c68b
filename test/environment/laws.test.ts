import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CallEnd, Environment } from "biplane";
import { gallery } from "../../src/gallery/gallery.ts";
import { controlPlane, mirrored, players, post, rpc } from "./doors.ts";
import type { Json, Seen, Start } from "./doors.ts";

/** Moves that any environment of the gallery understands, made from its tools' schemas. */
function movesOf(environment: Environment): { tool: string; input: Json }[] {
  const all = Array.from(environment.server.tools, ({ name, input }) => {
    const properties = (input.json["properties"] ?? {}) as Record<
      string,
      { enum?: unknown[]; type?: string; minimum?: number }
    >;
    const values = Object.entries(properties).map(([key, { enum: choices, type, minimum = 0 }], at) => {
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

  const play = async (door: string) => {
    const player = await (players[door] as (typeof players)[string])(environment, url, start);
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

  test.each(Object.keys(players))("played %s, an episode is the same", async (door) => {
    const { raw: _, ...expected } = await play("in process");
    const { raw, ...played } = await play(door);
    const zero = (seen: Seen) => ({ ...seen, reward: seen.reward ?? 0 }); // Eval Protocol has no null
    expect({ ...played, seen: played.seen.map(zero) }).toEqual(
      JSON.parse(JSON.stringify({ ...expected, seen: expected.seen.map(zero) })),
    );
    expect(leaks(raw)).toEqual([]);
  });

  test("nothing that lists or describes says more than it may", async () => {
    const raw: string[] = [];
    for (const method of ["tools/list", "resources/list", "prompts/list", "resources/templates/list"]) {
      await post(url, "/mcp", rpc(method, {}), {}, raw);
    }
    await fetch(`${url}/mcp/capabilities`).then(async (response) => raw.push(await response.text()));
    expect(leaks(raw.filter((text) => !text.includes('"content-type"')))).toEqual([]);
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
    expect(leaks([JSON.stringify(first)])).toEqual([]);
    const [move] = moves;
    await post(url, "/mcp", rpc("tools/call", { name: move?.tool, arguments: move?.input }), {
      "mcp-session-id": hello.sessionId ?? "",
    });
    for (const what of ["reward", "status"]) {
      expect(Object.keys(await control(what)).filter((key) => Object.hasOwn(first, key))).toEqual([]);
    }
  });

  test("an agent finds no way to steer an episode", async () => {
    const names = Array.from(environment.server.tools, (tool) => tool.name);
    for (const reserved of ["reset", "step", "state", "close"]) expect(names).not.toContain(reserved);
    const unnamed = await post(
      url,
      "/mcp",
      rpc("tools/call", {
        name: names[0],
        arguments: moves[0]?.input ?? {},
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      }),
      mirrored("tools/call", names[0]),
    );
    expect(JSON.stringify(unnamed.body)).toMatch(/Which episode\?.*\/e\/<episode>\/mcp.*dev\.biplane\/episode/);
  });
});

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

/** Every field of a JSON text, however deep and also in text within text, that an agent must not see. */
function leaks(texts: readonly string[]): string[] {
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
      if (forbidden.has(key)) found.push(`${path}/${key}`);
      walk(inner, `${path}/${key}`);
    }
  };
  for (const text of texts) walk(text, "");
  return found;
}
