import { describe, expect, test } from "vitest";
import { allow, ask, deny } from "biplane";
import type { Policy } from "biplane";
import { openApprovals } from "../../../src/admin/approvals/approvals.ts";
import type { Store } from "../../../src/store/store.ts";
import { sqliteStore } from "../../../src/store/sqlite.ts";
import { ada, agent, openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";

const yes = { verdict: "approve" } as const;

/** The call of an agent that does not wait. */
const refund = ({ server }: Desk, amount: number, more: object = {}) =>
  server.call("refund", { amount, ...more }, { principal: agent, patienceMs: 0 });

const pending = expect.objectContaining({ code: "APPROVAL_PENDING" }) as unknown;

test("a call that needs approval does not run until a person says yes, and then once", async () => {
  await using desk = openDesk();
  await expect(refund(desk, 5)).rejects.toEqual(pending);
  await expect(refund(desk, 5)).rejects.toEqual(pending);
  expect(await desk.approvals.list()).toMatchObject([
    { status: "waiting", tool: "refund", question: "Refund it?", input: { amount: 5 }, principal: { id: "agent" } },
  ]);
  await desk.approvals.answer([await desk.waiting()], yes, ada);
  expect(desk.refunds).toEqual([]);
  expect(await refund(desk, 5)).toBe("refunded 5");
  await expect(refund(desk, 5)).rejects.toEqual(pending);
  expect(desk.refunds).toEqual([5]);
});

test("an approval is for the exact input, in any order of its keys, and for its caller", async () => {
  await using desk = openDesk();
  await expect(refund(desk, 5, { note: "late" })).rejects.toEqual(pending);
  await desk.approvals.answer([await desk.waiting()], yes, ada);
  await expect(refund(desk, 6, { note: "late" })).rejects.toEqual(pending);
  await expect(refund(desk, 5)).rejects.toEqual(pending);
  const input = { note: "late", amount: 5 };
  const other = { principal: { kind: "token", id: "other", scopes: [] }, patienceMs: 0 } as const;
  await expect(desk.server.call("refund", input, other)).rejects.toEqual(pending);
  expect(await desk.server.call("refund", input, { principal: agent, patienceMs: 0 })).toBe("refunded 5");
});

test("whoever waits goes on when the answer comes, from this process or another one", async () => {
  await using desk = openDesk();
  const here = desk.server.call("refund", { amount: 1 }, { principal: agent });
  await desk.approvals.answer([await desk.waiting()], yes, ada);
  expect(await here).toBe("refunded 1");

  const there = desk.server.call("refund", { amount: 2 }, { principal: agent });
  const id = await desk.waiting();
  await using store = sqliteStore(desk.file);
  await openApprovals({ store }).answer([id], yes, ada);
  expect(await there).toBe("refunded 2");
});

test("a waiting call survives a restart: its caller asks again and finds the answer", async () => {
  await using first = openDesk();
  await expect(refund(first, 5)).rejects.toEqual(pending);
  const id = await first.waiting();
  await first.store.close();
  await using second = openDesk({ file: first.file });
  expect(await second.waiting()).toBe(id);
  await second.approvals.answer([id], yes, ada);
  expect(await refund(second, 5)).toBe("refunded 5");
});

test("a rejection is told with its reason, also to whoever asks again, until it has expired", async () => {
  let now = Date.now();
  await using desk = openDesk({ now: () => now, expiresMs: 1000 });
  await expect(refund(desk, 5)).rejects.toEqual(pending);
  const id = await desk.waiting();
  await expect(desk.approvals.answer([id], { verdict: "reject", reason: " " }, ada)).rejects.toThrow("Say why");
  await desk.approvals.answer([id], { verdict: "reject", reason: "too much" }, ada);
  for (let again = 0; again < 2; again++)
    await expect(refund(desk, 5)).rejects.toMatchObject({
      code: "APPROVAL_REJECTED",
      message: "The call was not approved: too much",
    });
  now += 1001;
  await expect(refund(desk, 5)).rejects.toEqual(pending);
  expect(desk.refunds).toEqual([]);
});

test("a question that nobody answers expires, and so does an answer that nobody comes for", async () => {
  let now = Date.now();
  await using desk = openDesk({ now: () => now, expiresMs: 1000 });
  const waiting = desk.server.call("refund", { amount: 5 }, { principal: agent });
  const id = await desk.waiting();
  now += 1001;
  await expect(waiting).rejects.toMatchObject({
    code: "APPROVAL_REJECTED",
    message: expect.stringContaining("in time"),
  });
  await expect(desk.approvals.answer([id], yes, ada)).rejects.toThrow("it is expired");
  await expect(refund(desk, 5)).rejects.toEqual(pending);
  await desk.approvals.answer([id], yes, ada);
  now += 1001;
  await expect(refund(desk, 5)).rejects.toEqual(pending);
});

test("nobody answers his own call", async () => {
  await using desk = openDesk();
  await expect(desk.server.call("refund", { amount: 5 }, { principal: ada, patienceMs: 0 })).rejects.toEqual(pending);
  await expect(desk.approvals.answer([await desk.waiting()], yes, ada)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  const bob = { kind: "person", id: "bob", scopes: [] } as const;
  await desk.approvals.answer([await desk.waiting()], yes, bob);
  expect(await desk.server.call("refund", { amount: 5 }, { principal: ada, patienceMs: 0 })).toBe("refunded 5");
});

describe("always", () => {
  test("holds for the exact input and the caller, until it is taken back", async () => {
    await using desk = openDesk();
    await expect(refund(desk, 5)).rejects.toEqual(pending);
    await desk.approvals.answer([await desk.waiting()], { ...yes, hold: { kind: "always" } }, ada);
    for (let again = 0; again < 3; again++) expect(await refund(desk, 5)).toBe("refunded 5");
    await expect(refund(desk, 6)).rejects.toEqual(pending);
    const [grant] = await desk.approvals.grants();
    expect(await desk.approvals.revoke(grant?.id ?? "", ada)).toBe(true);
    await expect(refund(desk, 5)).rejects.toEqual(pending);
  });

  test("holds for a pattern that the person writes, for everyone where he says so", async () => {
    await using desk = openDesk();
    await expect(refund(desk, 5)).rejects.toEqual(pending);
    const pattern = { tool: "ref*", arguments: { amount: { max: 10 } } };
    const hold = { kind: "pattern", pattern, for: "everyone" } as const;
    await desk.approvals.answer([await desk.waiting()], { ...yes, hold }, ada);
    const anyone = { principal: { kind: "token", id: "anyone", scopes: [] }, patienceMs: 0 } as const;
    expect(await desk.server.call("refund", { amount: 10 }, anyone)).toBe("refunded 10");
    await expect(desk.server.call("refund", { amount: 11 }, anyone)).rejects.toEqual(pending);
  });

  test("refuses a pattern that cannot be read, that says nothing, or that is for one exact thing", async () => {
    const aboutBytes: Policy = () => ask("Run it?", { subject: { sha256: "abc" } });
    await using desk = openDesk({ policies: [aboutBytes] });
    await expect(refund(desk, 5)).rejects.toEqual(pending);
    const id = await desk.waiting();
    const answer = (pattern: unknown) =>
      desk.approvals.answer([id], { ...yes, hold: { kind: "pattern", pattern } }, ada);
    await expect(answer({ tool: "refund" })).rejects.toThrow("one exact thing");
    await using plain = openDesk();
    await expect(refund(plain, 5)).rejects.toEqual(pending);
    const one = await plain.waiting();
    const wrong = (pattern: unknown) =>
      plain.approvals.answer([one], { ...yes, hold: { kind: "pattern", pattern } }, ada);
    await expect(wrong({})).rejects.toThrow("which calls it covers");
    await expect(wrong({ tol: "refund" })).rejects.toThrow("cannot be read");
    expect(await plain.approvals.grants()).toEqual([]);
    expect(await plain.approvals.list({ status: "waiting" })).toHaveLength(1);
  });
});

test("a batch is answered as one: all that wait, or none", async () => {
  await using desk = openDesk();
  for (const amount of [1, 2, 3]) await expect(refund(desk, amount)).rejects.toEqual(pending);
  const ids = (await desk.approvals.list({ status: "waiting" })).map(({ id }) => id);
  await expect(desk.approvals.answer([...ids, "nobody"], yes, ada)).rejects.toThrow("no approval nobody");
  expect(await desk.approvals.list({ status: "waiting" })).toHaveLength(3);
  await desk.approvals.answer(ids, yes, ada);
  for (const amount of [1, 2, 3]) expect(await refund(desk, amount)).toBe(`refunded ${amount}`);
});

test("what was decided while the call waited is decided again: a new rule holds", async () => {
  await using desk = openDesk();
  const call = desk.server.call("refund", { amount: 5 }, { principal: agent });
  const id = await desk.waiting();
  desk.server.policy(() => deny("closed for today"));
  await desk.approvals.answer([id], yes, ada);
  await expect(call).rejects.toMatchObject({ code: "POLICY_DENIED", message: "closed for today" });
  expect(desk.refunds).toEqual([]);
});

test("what a policy asks about is approved, and nothing else: a changed subject is asked about again", async () => {
  let version = "one";
  const policy: Policy = () => ask(`Run version ${version}?`, { subject: { version } });
  await using desk = openDesk({ policies: [policy] });
  const call = desk.server.call("refund", { amount: 5 }, { principal: agent });
  const first = await desk.waiting();
  version = "two";
  await desk.approvals.answer([first], yes, ada);
  const second = await desk.waiting();
  expect(second).not.toBe(first);
  expect(desk.refunds).toEqual([]);
  await desk.approvals.answer([second], yes, ada);
  expect(await call).toBe("refunded 5");
});

test("every policy that asks about something of its own is answered", async () => {
  const policies: Policy[] = [() => ask("The input?"), () => ask("The script?", { subject: "script" }), () => allow()];
  await using desk = openDesk({ policies });
  await expect(refund(desk, 5)).rejects.toEqual(pending);
  await desk.approvals.answer([await desk.waiting()], yes, ada);
  await expect(refund(desk, 5)).rejects.toEqual(pending);
  const asked = await desk.approvals.list({ status: "waiting" });
  expect(asked.map(({ question }) => question)).toEqual(["The script?"]);
  expect(desk.refunds).toEqual([]);
});

test("a caller cannot fill the queue", async () => {
  await using desk = openDesk({ maxWaiting: 3 });
  for (const amount of [1, 2, 3]) await expect(refund(desk, amount)).rejects.toEqual(pending);
  await expect(refund(desk, 4)).rejects.toMatchObject({ code: "CAPACITY" });
  await expect(refund(desk, 3)).rejects.toEqual(pending);
});

test("a store that is broken or missing means not approved", async () => {
  await using desk = openDesk();
  await expect(refund(desk, 5)).rejects.toEqual(pending);
  await desk.approvals.answer([await desk.waiting()], yes, ada);
  await desk.store.close();
  await expect(refund(desk, 5)).rejects.toMatchObject({ code: "APPROVAL_REJECTED" });

  const damaged = { grants: "[]", approvals: "null" };
  for (const json of Object.values(damaged)) {
    const broken = { ...desk.store, list: async () => [["x", JSON.parse(json) as never]] } as unknown as Store;
    const queue = openDesk({ store: broken });
    await expect(refund(queue, 5)).rejects.toMatchObject({ code: expect.stringMatching(/^APPROVAL_/) });
    expect(queue.refunds).toEqual([]);
    await queue[Symbol.asyncDispose]();
  }
});

test("secrets in what waits are not kept and not shown", async () => {
  await using desk = openDesk();
  await expect(refund(desk, 5, { note: "key open-sesame-1234" })).rejects.toEqual(pending);
  const [waiting] = await desk.approvals.list();
  expect(waiting?.input).toEqual({ amount: 5, note: "key [REDACTED:TILL_KEY]" });
  expect(JSON.stringify(await desk.store.list("approvals"))).not.toContain("sesame");
});

test("a call that is cancelled while it waits leaves its question behind, and nothing runs", async () => {
  await using desk = openDesk();
  const stop = new AbortController();
  const call = desk.server.call("refund", { amount: 5 }, { principal: agent, signal: stop.signal });
  const id = await desk.waiting();
  stop.abort();
  await expect(call).rejects.toMatchObject({ code: "CANCELLED" });
  await desk.approvals.answer([id], yes, ada);
  expect(desk.refunds).toEqual([]);
  expect(await refund(desk, 5)).toBe("refunded 5");
});

test("of many who come for one approval, one gets it", async () => {
  await using desk = openDesk();
  await expect(refund(desk, 5)).rejects.toEqual(pending);
  await desk.approvals.answer([await desk.waiting()], yes, ada);
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => refund(desk, 5)));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(desk.refunds).toEqual([5]);
});
