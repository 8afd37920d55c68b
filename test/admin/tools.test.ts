import { expect, test } from "vitest";
import { tool } from "biplane";
import type { ToolSummary } from "../../packages/biplane/src/admin/overview/overview-api.ts";
import { openServedGateway, secret } from "./admin-server.ts";
import type { ServedGateway } from "./admin-server.ts";

async function toolsOf(gateway: ServedGateway, query: string): Promise<{ tools: ToolSummary[]; next: string | null }> {
  const { json } = await gateway.ask(`GET /api/tools${query}`, undefined, await gateway.logIn());
  return json as unknown as { tools: ToolSummary[]; next: string | null };
}

test("every tool is there with what a form needs to know", async () => {
  await using gateway = await openServedGateway();
  const { tools, next } = await toolsOf(gateway, "");
  expect(next).toBeNull();
  expect(tools.map(({ server, name }) => `${server}/${name}`)).toEqual(
    ["add", "look"]
      .map((name) => `game/${name}`)
      .concat(["ask.first", "big", "echo", "fail", "leak", "ring", "sell", "shout"].map((name) => `shop/${name}`)),
  );
  const echo = tools.find(({ name }) => name === "echo");
  expect(echo).toMatchObject({
    description: "Says it again",
    timeoutMs: 30_000,
    idempotent: true,
    needsEpisode: false,
  });
  expect(echo?.input).toMatchObject({ type: "object", properties: { text: { type: "string" } } });
  expect(tools.find(({ name }) => name === "add")).toMatchObject({ needsEpisode: true });
  const sell = tools.find(({ name }) => name === "sell");
  expect(sell?.app?.uri).toMatch(/^ui:\/\/till@[0-9a-f]{12}$/);
  expect(sell?.app?.visibility).toEqual(["model", "app"]);
  expect(tools.find(({ name }) => name === "ring")?.app).toBeUndefined();
});

test("they are found by server and by words, and come in pages that leave nothing out", async () => {
  await using gateway = await openServedGateway();
  expect((await toolsOf(gateway, "?server=game")).tools.map(({ name }) => name)).toEqual(["add", "look"]);
  expect((await toolsOf(gateway, "?query=SAYS+loudly")).tools.map(({ name }) => name)).toEqual(["shout"]);
  expect((await toolsOf(gateway, "?query=nothing+of+the+kind")).tools).toEqual([]);
  const seen: string[] = [];
  for (let after = ""; ;) {
    const { tools, next } = await toolsOf(gateway, `?limit=3${after}`);
    seen.push(...tools.map(({ server, name }) => `${server}/${name}`));
    if (next === null) break;
    after = `&after=${encodeURIComponent(next)}`;
  }
  expect(seen).toHaveLength(10);
  expect(new Set(seen).size).toBe(10);
});

test("an invalid query is refused with a reason", async () => {
  await using gateway = await openServedGateway();
  const mine = await gateway.logIn();
  for (const query of ["server=nobody", "limit=0", "limit=x", "limit=100000", "limit=-1"])
    expect([query, (await gateway.ask(`GET /api/tools?${query}`, undefined, mine)).status]).toEqual([query, 400]);
  const long = await gateway.ask(`GET /api/tools?query=${"a+".repeat(3000)}`, undefined, mine);
  expect(long.status).toBe(200);
});

test("a secret in a tool's description is not shown", async () => {
  await using gateway = await openServedGateway();
  gateway.shop.add(tool({ name: "chatty", description: `Uses ${secret}`, run: () => "ok" }));
  const { text } = await gateway.ask("GET /api/tools?query=uses", undefined, await gateway.logIn());
  expect(text).toContain("[REDACTED:TOKEN]");
  expect(text).not.toContain(secret);
});
