import { expect, test } from "vitest";
import { tool } from "biplane";
import type { Overview } from "../../packages/biplane/src/admin/overview/overview-api.ts";
import { callAs, openServedGateway } from "./admin-server.ts";

const routes = [
  "GET /api/overview",
  "GET /api/tools",
  "GET /api/calls",
  "GET /api/calls/x",
  "POST /api/calls",
  "GET /api/resource?uri=shop://sign",
  "GET /api/events",
];

test("the overview lists what is served, on which endpoints, and its current figures", async () => {
  await using gateway = await openServedGateway({
    kit: { sandbox: () => "http://{app}.localhost:1", command: { command: "npx", args: ["biplane"] } },
  });
  const mine = await gateway.logIn();
  await gateway.game.start();
  await callAs("ann", gateway.shop, { tool: "echo" });
  await callAs("ann", gateway.shop, { tool: "fail" });
  const { status, json } = await gateway.ask("GET /api/overview", undefined, mine);
  expect(status).toBe(200);
  const { servers, figures, ...rest } = json as unknown as Overview;
  expect(rest).toMatchObject({ name: "gateway", version: "1", mode: "simulation", url: gateway.url });
  expect(rest).toMatchObject({ sandbox: "http://{app}.localhost:1", command: { command: "npx", args: ["biplane"] } });
  expect(Date.parse(rest.startedAt)).toBeLessThanOrEqual(Date.now());
  expect(servers.map(({ name, kind, base }) => [name, kind, base])).toEqual([
    ["shop", "server", ""],
    ["game", "environment", "/env/game"],
  ]);
  expect(servers[0]).toMatchObject({ title: "A shop", tools: 8, prompts: 0 });
  expect(servers[1]).toMatchObject({ tools: 2, episodes: { open: 1, max: 1000 } });
  const paths = servers.flatMap(({ endpoints }) => endpoints.map(({ path }) => path));
  expect(paths).toEqual(expect.arrayContaining(["/mcp", "/api", "/metrics", "/env/game/mcp", "/env/game/ws"]));
  expect(figures).toMatchObject({ calls: 2, errors: 1, running: 0, episodes: 1, sessions: 0, approvalsWaiting: 0 });
  expect(figures.minute).toHaveLength(60);
});

test("every endpoint that the overview names exists", async () => {
  await using gateway = await openServedGateway();
  const { json } = await gateway.ask("GET /api/overview", undefined, await gateway.logIn());
  const endpoints = (json as unknown as Overview).servers.flatMap((each) => each.endpoints);
  const episode = await gateway.game.start();
  // The page and the metrics are somebody else's to put there.
  const here = endpoints.filter(({ path }) => path !== "/" && path !== "/metrics" && !path.endsWith("/ws"));
  for (const { path } of here) {
    const response = await fetch(gateway.url + path.replace("{episode}", episode.id), { method: "POST", body: "{}" });
    expect([path, response.status]).not.toEqual([path, 404]);
    await response.body?.cancel();
  }
});

test("calls that wait for a person and calls under way are counted", async () => {
  await using gateway = await openServedGateway();
  const mine = await gateway.logIn();
  await callAs("ann", gateway.shop, { tool: "ask.first" });
  let goOn: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  gateway.shop.add(tool({ name: "wait", timeoutMs: 10_000, run: () => gate }));
  const waiting = callAs("ann", gateway.shop, { tool: "wait" });
  const { json } = await gateway.ask("GET /api/overview", undefined, mine);
  expect(json["figures"]).toMatchObject({ approvalsWaiting: 1, errors: 1, running: 1 });
  goOn();
  await waiting;
  expect(gateway.kit.log.figures.read()).toMatchObject({ running: 0, calls: 2 });
});

test("nothing answers without credentials, or to another site", async () => {
  await using gateway = await openServedGateway();
  const mine = await gateway.logIn();
  for (const route of routes) {
    const body = route.startsWith("POST") ? {} : undefined;
    for (const headers of [{}, { cookie: `biplane=${"A".repeat(43)}` }, { authorization: "Bearer x" }])
      expect([route, (await gateway.ask(route, body, headers)).status]).toEqual([route, 401]);
    for (const foreign of [{ origin: "http://evil.example" }, { "sec-fetch-site": "same-site" }])
      expect([route, (await gateway.ask(route, body, { ...mine, ...foreign })).status]).toEqual([route, 403]);
  }
  const form = { cookie: mine.cookie, "content-type": "text/plain" };
  expect((await gateway.ask("POST /api/calls", {}, form)).status).toBe(403);
});

test("a person sees only what their scopes allow", async () => {
  await using gateway = await openServedGateway();
  await gateway.join("tim", ["tools"]);
  await gateway.join("carl", ["calls"]);
  const [tim, carl] = [await gateway.logIn("tim"), await gateway.logIn("carl")];
  const statusFor = async (route: string, who: { cookie: string }) =>
    (await gateway.ask(route, route.startsWith("POST") ? {} : undefined, who)).status;
  expect(await statusFor("GET /api/overview", tim)).toBe(200);
  expect(await statusFor("GET /api/tools", tim)).toBe(200);
  expect(await statusFor("POST /api/calls", tim)).toBe(400);
  expect(await statusFor("GET /api/calls", tim)).toBe(403);
  expect(await statusFor("GET /api/calls/x", tim)).toBe(403);
  expect(await statusFor("GET /api/calls", carl)).toBe(200);
  expect(await statusFor("GET /api/tools", carl)).toBe(403);
  expect(await statusFor("POST /api/calls", carl)).toBe(403);
  expect(await statusFor("GET /api/resource?uri=shop://sign", carl)).toBe(403);
  expect(await statusFor("GET /api/events?topics=calls", tim)).toBe(403);
  expect(await statusFor("GET /api/events?topics=runs", carl)).toBe(403);
});
