import { expect, test } from "vitest";
import { openPeople } from "../../packages/biplane/src/governance/people/people.ts";
import { openStore } from "biplane/store";
import { callAs, openServedGateway, passphrase } from "../admin/admin-server.ts";
import type { Json, ServedGateway } from "../admin/admin-server.ts";

const ways = ["mcp-2026-07-28", "mcp-2025-11-25", "execute", "step", "code", "app"];

test("in production a person cannot step an agent's episode, by any route", async () => {
  await using gateway = await openServedGateway();
  gateway.game.govern({ mode: "production", policies: [() => ({ verdict: "allow" })] });
  const episode = await gateway.game.start();
  const mine = await gateway.logIn();
  for (const chosen of [...ways.map((way) => [way]), ["execute", "code"]]) {
    const body = { server: "game", tool: "look", input: {}, via: chosen, episode: episode.id };
    expect((await gateway.ask("POST /api/calls", body, mine)).json).toMatchObject({ error: "FORBIDDEN" });
  }
  expect(gateway.game.episodes.size).toBe(1);
  expect(episode.stepCount).toBe(0);
});

test("a person with the scope to read cannot call, start, replay, decide, or add a person who can", async () => {
  await using gateway = await openServedGateway();
  const episode = await gateway.game.start();
  const call = { server: "shop", tool: "echo", input: {}, via: ["execute"] };
  const attempts: [string, unknown][] = [
    ["POST /api/calls", call],
    ["POST /api/calls", { ...call, server: "game", tool: "look", episode: episode.id }],
    ["POST /api/episodes", { server: "game" }],
    [`POST /api/episodes/${episode.id}/calls`, { tool: "look" }],
    [`POST /api/episodes/${episode.id}/fork`, {}],
    [`DELETE /api/episodes/${episode.id}`, undefined],
    ["POST /api/traces/run:1/replay", {}],
    ["POST /api/approvals/answer", { ids: ["x"], verdict: "approve" }],
    ["DELETE /api/grants/x", undefined],
    ["PUT /api/secrets/NEW_ONE", { value: "long-enough-value" }],
    ["POST /api/people", { name: "eve", passphrase, scopes: ["*"] }],
    ["DELETE /api/people/ada", undefined],
    ["GET /api/settings", undefined],
    ["GET /api/audit", undefined],
    ["GET /api/events?topics=approvals", undefined],
  ];
  await gateway.join("cal", ["calls", "runs", "connections"]);
  const cal = await gateway.logIn("cal");
  for (const [line, body] of attempts) expect([line, (await gateway.ask(line, body, cal)).status]).toEqual([line, 403]);
  // A token that bob creates has no more scopes than bob.
  const { json } = await gateway.ask("POST /api/tokens", { label: "mine" }, cal);
  const bearer = { authorization: `Bearer ${String(json["token"])}` };
  for (const [line, body] of attempts)
    expect([line, (await gateway.ask(line, body, bearer)).status]).toEqual([line, 403]);
  await gateway.join("pat", ["people"]);
  const more = await gateway.ask("POST /api/people", attempts[10]?.[1], await gateway.logIn("pat"));
  expect(more.status).toBe(403);
});

test("a person cannot approve their own call, by any route and with any credentials", async () => {
  await using gateway = await openServedGateway();
  const cookie = await gateway.logIn();
  const { json } = await gateway.ask("POST /api/tokens", {}, cookie);
  const bearer = { authorization: `Bearer ${String(json["token"])}` };
  for (const way of ways.filter((each) => each !== "step")) {
    const body = { server: "shop", tool: "ask.first", input: {}, via: [way] };
    expect((await gateway.ask("POST /api/calls", body, cookie)).text).toContain("Approval is needed");
  }
  const [waiting] = await asked(gateway);
  const yes = { ids: [waiting?.["id"]], verdict: "approve" };
  for (const mine of [cookie, bearer]) {
    const answer = await gateway.ask("POST /api/approvals/answer", yes, mine);
    expect([answer.status, answer.json["message"]]).toEqual([
      403,
      expect.stringContaining("cannot answer your own call"),
    ]);
  }
});

test("an approval for everyone does not approve the calls of the person who gave it", async () => {
  await using gateway = await openServedGateway();
  await callAs("robot", gateway.shop, { tool: "ask.first" });
  const [waiting] = await asked(gateway);
  const scope = { kind: "always", for: "everyone" };
  const answer = { ids: [waiting?.["id"]], verdict: "approve", scope };
  const ada = await gateway.logIn();
  expect((await gateway.ask("POST /api/approvals/answer", answer, ada)).status).toBe(200);
  const request = { server: "shop", tool: "ask.first", input: {}, via: ["execute"] };
  const outcomeFor = async (who: { cookie: string }) =>
    ((await gateway.ask("POST /api/calls", request, who)).json["results"] as Json[])[0]?.["outcome"];
  expect(await outcomeFor(ada)).toBe("APPROVAL_PENDING");
  await gateway.join("bob", ["tools"]);
  expect(await outcomeFor(await gateway.logIn("bob"))).toBe("done");
});

async function asked(gateway: ServedGateway): Promise<Json[]> {
  const { json } = await gateway.ask("GET /api/approvals?status=waiting", undefined, await gateway.logIn());
  return json["approvals"] as Json[];
}

test("many simultaneous readers get no more event streams than the limit", async () => {
  await using gateway = await openServedGateway({ kit: { events: { maxReaders: 10 } } });
  const mine = await gateway.logIn();
  const crowd = await Promise.all(
    Array.from({ length: 100 }, () => gateway.listen("/api/events?topics=figures", mine)),
  );
  await gateway.ask("GET /api/overview", undefined, mine);
  expect(gateway.kit.readers()).toBeLessThanOrEqual(10);
  expect(crowd.some(({ status }) => status === 200)).toBe(true);
  for (const reader of crowd) reader.close();
});

test("guessed setup codes do not lock out the person with the right one", async () => {
  await using store = await openStore(":memory:");
  const people = openPeople({ store, cost: { N: 1024, r: 8, p: 1 } });
  const code = (await people.setupCode()) ?? "";
  const guess = () => people.setUp({ name: "eve", passphrase, code: "AAAAA-AAAAA-AAAAA-AAAAA" }, "127.0.0.1");
  const said = await Promise.all(Array.from({ length: 20 }, () => guess().catch((error: Error) => error.message)));
  expect(said.at(0)).toContain("The setup code is wrong");
  expect(said.at(-1)).toContain("Too many failed attempts");
  const both = await Promise.allSettled(
    ["ada", "eve"].map((name) => people.setUp({ name, passphrase, code }, "127.0.0.1")),
  );
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(await people.list()).toHaveLength(1);
});
