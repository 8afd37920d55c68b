import { expect, test } from "vitest";
import { openPeople } from "../../src/admin/people/people.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { callAs, openServedHouse, passphrase } from "../desk/served-house.ts";
import type { Json, ServedHouse } from "../desk/served-house.ts";

const ways = ["mcp-2026-07-28", "mcp-2025-11-25", "execute", "step", "code", "app"];

test("in production no way of calling gets a person's hands on an agent's episode", async () => {
  await using house = await openServedHouse();
  house.game.govern({ mode: "production", policies: [() => ({ verdict: "allow" })] });
  const episode = await house.game.start();
  const mine = await house.logIn();
  for (const chosen of [...ways.map((way) => [way]), ["execute", "code"]]) {
    const body = { server: "game", tool: "look", input: {}, ways: chosen, episode: episode.id };
    expect((await house.ask("POST /api/calls", body, mine)).json).toMatchObject({ error: "POLICY_DENIED" });
  }
  expect(house.game.episodes.size).toBe(1);
  expect(episode.stepCount).toBe(0);
});

test("a few scopes are a few: whoever may look cannot call, begin, replay, decide, or make somebody who can", async () => {
  await using house = await openServedHouse();
  const episode = await house.game.start();
  const call = { server: "shop", tool: "echo", input: {}, ways: ["execute"] };
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
  await house.join("cal", ["calls", "runs", "connections"]);
  const cal = await house.logIn("cal");
  for (const [line, body] of attempts) expect([line, (await house.ask(line, body, cal)).status]).toEqual([line, 403]);
  // Nor does a token of his own have more than he.
  const { json } = await house.ask("POST /api/tokens", { label: "mine" }, cal);
  const bearer = { authorization: `Bearer ${String(json["token"])}` };
  for (const [line, body] of attempts)
    expect([line, (await house.ask(line, body, bearer)).status]).toEqual([line, 403]);
  await house.join("pat", ["people"]);
  const more = await house.ask("POST /api/people", attempts[10]?.[1], await house.logIn("pat"));
  expect(more.status).toBe(403);
});

test("nobody answers his own call, whichever way he made it, and with whichever credentials", async () => {
  await using house = await openServedHouse();
  const cookie = await house.logIn();
  const { json } = await house.ask("POST /api/tokens", {}, cookie);
  const bearer = { authorization: `Bearer ${String(json["token"])}` };
  for (const way of ways.filter((each) => each !== "step")) {
    const body = { server: "shop", tool: "ask.first", input: {}, ways: [way] };
    expect((await house.ask("POST /api/calls", body, cookie)).text).toContain("Approval is needed");
  }
  const [waiting] = await asked(house);
  const yes = { ids: [waiting?.["id"]], verdict: "approve" };
  for (const mine of [cookie, bearer]) {
    const answer = await house.ask("POST /api/approvals/answer", yes, mine);
    expect([answer.status, answer.json["message"]]).toEqual([403, expect.stringContaining("Nobody answers his own")]);
  }
});

test("what somebody approved for everyone is no answer to his own call", async () => {
  await using house = await openServedHouse();
  await callAs("robot", house.shop, { tool: "ask.first" });
  const [waiting] = await asked(house);
  const hold = { kind: "always", for: "everyone" };
  const answer = { ids: [waiting?.["id"]], verdict: "approve", hold };
  const ada = await house.logIn();
  expect((await house.ask("POST /api/approvals/answer", answer, ada)).status).toBe(200);
  const wish = { server: "shop", tool: "ask.first", input: {}, ways: ["execute"] };
  const outcomeFor = async (who: { cookie: string }) =>
    ((await house.ask("POST /api/calls", wish, who)).json["answers"] as Json[])[0]?.["outcome"];
  expect(await outcomeFor(ada)).toBe("APPROVAL_PENDING");
  await house.join("bob", ["tools"]);
  expect(await outcomeFor(await house.logIn("bob"))).toBe("done");
});

async function asked(house: ServedHouse): Promise<Json[]> {
  const { json } = await house.ask("GET /api/approvals?status=waiting", undefined, await house.logIn());
  return json["approvals"] as Json[];
}

test("a crowd that comes at once gets no more streams than there may be", async () => {
  await using house = await openServedHouse({ desk: { events: { mostReaders: 10 } } });
  const mine = await house.logIn();
  const crowd = await Promise.all(Array.from({ length: 100 }, () => house.listen("/api/events?topics=figures", mine)));
  await house.ask("GET /api/overview", undefined, mine);
  expect(house.desk.readers()).toBeLessThanOrEqual(10);
  expect(crowd.some(({ status }) => status === 200)).toBe(true);
  for (const reader of crowd) reader.close();
});

test("somebody who guesses setup codes cannot keep out the one who has it", async () => {
  await using store = sqliteStore(":memory:");
  const people = openPeople({ store, cost: { N: 1024, r: 8, p: 1 } });
  const code = (await people.setupCode()) ?? "";
  const guess = () => people.setUp({ name: "eve", passphrase, code: "AAAAA-AAAAA-AAAAA-AAAAA" }, "127.0.0.1");
  const said = await Promise.all(Array.from({ length: 20 }, () => guess().catch((error: Error) => error.message)));
  expect(said.at(0)).toContain("The setup code is wrong");
  expect(said.at(-1)).toContain("Too many wrong guesses");
  const both = await Promise.allSettled(
    ["ada", "eve"].map((name) => people.setUp({ name, passphrase, code }, "127.0.0.1")),
  );
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(await people.list()).toHaveLength(1);
});
