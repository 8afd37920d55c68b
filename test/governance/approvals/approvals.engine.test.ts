import { describe, expect, test } from "vitest";
import { allow, ask, deny, rules } from "biplane";
import type { Policy } from "biplane";
import { openApprovals } from "../../../packages/biplane/src/governance/approvals/approvals.ts";
import { openStore } from "biplane/store";
import { patienceMs, within } from "../../support/within.ts";
import { ada, agent, openKit } from "./approval-server.ts";
import type { Kit } from "./approval-server.ts";

const yes = { verdict: "approve" } as const;

/** The call of an agent that does not wait. */
const refund = ({ server }: Kit, amount: number, more: object = {}) =>
  server.call("refund", { amount, ...more }, { principal: agent, patienceMs: 0 });

const pending = expect.objectContaining({ code: "APPROVAL_PENDING" }) as unknown;

test("a call that needs approval runs once after a person approves it", async () => {
  await using kit = await openKit();
  await expect(refund(kit, 5)).rejects.toEqual(pending);
  await expect(refund(kit, 5)).rejects.toEqual(pending);
  expect(await kit.approvals.list()).toMatchObject([
    { status: "waiting", tool: "refund", question: "Refund it?", input: { amount: 5 }, principal: { id: "agent" } },
  ]);
  await kit.approvals.answer([await kit.waiting()], yes, ada);
  expect(kit.refunds).toEqual([]);
  expect(await refund(kit, 5)).toBe("refunded 5");
  await expect(refund(kit, 5)).rejects.toEqual(pending);
  expect(kit.refunds).toEqual([5]);
});

test("a person sees the whole question, also after a NUL that the caller put into it", async () => {
  await using kit = await openKit({ policies: [(_, __, input) => ask(`Refund ${(input as { note: string }).note}?`)] });
  await expect(refund(kit, 5, { note: "1\0 and everything else" })).rejects.toEqual(pending);
  expect(await kit.approvals.list()).toMatchObject([{ question: "Refund 1\uFFFD and everything else?" }]);
});

test("an approval is for the exact input, in any order of its keys, and for its caller", async () => {
  await using kit = await openKit();
  await expect(refund(kit, 5, { note: "late" })).rejects.toEqual(pending);
  await kit.approvals.answer([await kit.waiting()], yes, ada);
  await expect(refund(kit, 6, { note: "late" })).rejects.toEqual(pending);
  await expect(refund(kit, 5)).rejects.toEqual(pending);
  const input = { note: "late", amount: 5 };
  const other = { principal: { kind: "token", id: "other", scopes: [] }, patienceMs: 0 } as const;
  await expect(kit.server.call("refund", input, other)).rejects.toEqual(pending);
  expect(await kit.server.call("refund", input, { principal: agent, patienceMs: 0 })).toBe("refunded 5");
});

test("a waiting call continues when the answer arrives, from this process or another one", async () => {
  await using kit = await openKit();
  const here = kit.server.call("refund", { amount: 1 }, { principal: agent });
  await kit.approvals.answer([await kit.waiting()], yes, ada);
  expect(await here).toBe("refunded 1");

  const there = kit.server.call("refund", { amount: 2 }, { principal: agent });
  const id = await kit.waiting();
  await using store = await openStore(kit.file);
  await openApprovals({ store }).answer([id], yes, ada);
  expect(await there).toBe("refunded 2");
});

test("a waiting call survives a restart: its caller asks again and finds the answer", async () => {
  await using first = await openKit();
  await expect(refund(first, 5)).rejects.toEqual(pending);
  const id = await first.waiting();
  await first.store.close();
  await using second = await openKit({ file: first.file });
  expect(await second.waiting()).toBe(id);
  await second.approvals.answer([id], yes, ada);
  expect(await refund(second, 5)).toBe("refunded 5");
});

test("a rejection is returned with its reason, also to repeated calls, until it expires", async () => {
  let now = Date.now();
  await using kit = await openKit({ now: () => now, expiresMs: 1000 });
  await expect(refund(kit, 5)).rejects.toEqual(pending);
  const id = await kit.waiting();
  await expect(kit.approvals.answer([id], { verdict: "reject", reason: " " }, ada)).rejects.toThrow("needs a reason");
  await kit.approvals.answer([id], { verdict: "reject", reason: "too much" }, ada);
  for (let again = 0; again < 2; again++)
    await expect(refund(kit, 5)).rejects.toMatchObject({
      code: "APPROVAL_REJECTED",
      message: "The call was not approved: too much",
    });
  now += 1001;
  await expect(refund(kit, 5)).rejects.toEqual(pending);
  expect(kit.refunds).toEqual([]);
});

test("a call whose question was deleted does not wait on", async () => {
  await using kit = await openKit();
  const waiting = kit.server.call("refund", { amount: 5 }, { principal: agent });
  const id = await kit.waiting();
  await kit.store.db.deleteFrom("approvals").where("id", "=", id).execute();
  await expect(within(patienceMs, "the call", waiting)).rejects.toMatchObject({ code: "APPROVAL_REJECTED" });
  expect(kit.refunds).toEqual([]);
});

test("an unanswered question expires, and so does an unused answer", async () => {
  let now = Date.now();
  await using kit = await openKit({ now: () => now, expiresMs: 1000 });
  const waiting = kit.server.call("refund", { amount: 5 }, { principal: agent });
  const id = await kit.waiting();
  now += 1001;
  await expect(waiting).rejects.toMatchObject({
    code: "APPROVAL_REJECTED",
    message: expect.stringContaining("in time"),
  });
  await expect(kit.approvals.answer([id], yes, ada)).rejects.toThrow("is already expired");
  await expect(refund(kit, 5)).rejects.toEqual(pending);
  await kit.approvals.answer([id], yes, ada);
  now += 1001;
  await expect(refund(kit, 5)).rejects.toEqual(pending);
});

test("a person cannot approve their own call", async () => {
  await using kit = await openKit();
  await expect(kit.server.call("refund", { amount: 5 }, { principal: ada, patienceMs: 0 })).rejects.toEqual(pending);
  await expect(kit.approvals.answer([await kit.waiting()], yes, ada)).rejects.toMatchObject({ code: "FORBIDDEN" });
  const bob = { kind: "person", id: "bob", scopes: [] } as const;
  await kit.approvals.answer([await kit.waiting()], yes, bob);
  expect(await kit.server.call("refund", { amount: 5 }, { principal: ada, patienceMs: 0 })).toBe("refunded 5");
});

describe("always", () => {
  test("holds for the exact input and the caller, until it is taken back", async () => {
    await using kit = await openKit();
    await expect(refund(kit, 5)).rejects.toEqual(pending);
    await kit.approvals.answer([await kit.waiting()], { ...yes, scope: { kind: "always" } }, ada);
    for (let again = 0; again < 3; again++) expect(await refund(kit, 5)).toBe("refunded 5");
    await expect(refund(kit, 6)).rejects.toEqual(pending);
    const [grant] = await kit.approvals.grants();
    expect(await kit.approvals.revoke(grant?.id ?? "", ada)).toBe(true);
    await expect(refund(kit, 5)).rejects.toEqual(pending);
  });

  test("holds for a pattern that the person writes, and for every caller if the person chooses so", async () => {
    await using kit = await openKit();
    await expect(refund(kit, 5)).rejects.toEqual(pending);
    const pattern = { tool: "ref*", arguments: { amount: { max: 10 } } };
    const scope = { kind: "pattern", pattern, for: "everyone" } as const;
    await kit.approvals.answer([await kit.waiting()], { ...yes, scope }, ada);
    const anyone = { principal: { kind: "token", id: "anyone", scopes: [] }, patienceMs: 0 } as const;
    expect(await kit.server.call("refund", { amount: 10 }, anyone)).toBe("refunded 10");
    await expect(kit.server.call("refund", { amount: 11 }, anyone)).rejects.toEqual(pending);
  });

  test("refuses a pattern that cannot be read, that says nothing, or that is for one exact thing", async () => {
    const aboutBytes: Policy = () => ask("Run it?", { subject: { sha256: "abc" } });
    await using kit = await openKit({ policies: [aboutBytes] });
    await expect(refund(kit, 5)).rejects.toEqual(pending);
    const id = await kit.waiting();
    const answer = (pattern: unknown) =>
      kit.approvals.answer([id], { ...yes, scope: { kind: "pattern", pattern } }, ada);
    await expect(answer({ tool: "refund" })).rejects.toThrow("one exact subject");
    await using plain = await openKit();
    await expect(refund(plain, 5)).rejects.toEqual(pending);
    const one = await plain.waiting();
    const wrong = (pattern: unknown) =>
      plain.approvals.answer([one], { ...yes, scope: { kind: "pattern", pattern } }, ada);
    await expect(wrong({})).rejects.toThrow("which calls it covers");
    await expect(wrong({ tol: "refund" })).rejects.toThrow("cannot be read");
    expect(await plain.approvals.grants()).toEqual([]);
    expect(await plain.approvals.list({ status: "waiting" })).toHaveLength(1);
  });
});

test("a batch is answered as one: all that wait, or none", async () => {
  await using kit = await openKit();
  for (const amount of [1, 2, 3]) await expect(refund(kit, amount)).rejects.toEqual(pending);
  const ids = (await kit.approvals.list({ status: "waiting" })).map(({ id }) => id);
  await expect(kit.approvals.answer([...ids, "nobody"], yes, ada)).rejects.toThrow("no approval nobody");
  expect(await kit.approvals.list({ status: "waiting" })).toHaveLength(3);
  await kit.approvals.answer(ids, yes, ada);
  for (const amount of [1, 2, 3]) expect(await refund(kit, amount)).toBe(`refunded ${amount}`);
});

test("what was decided while the call waited is decided again: a new rule holds", async () => {
  await using kit = await openKit();
  const call = kit.server.call("refund", { amount: 5 }, { principal: agent });
  const id = await kit.waiting();
  kit.server.policy(() => deny("closed for today"));
  await kit.approvals.answer([id], yes, ada);
  await expect(call).rejects.toMatchObject({ code: "POLICY_DENIED", message: "closed for today" });
  expect(kit.refunds).toEqual([]);
});

test("what a policy asks about is approved, and nothing else: a changed subject is asked about again", async () => {
  let version = "one";
  const policy: Policy = () => ask(`Run version ${version}?`, { subject: { version } });
  await using kit = await openKit({ policies: [policy] });
  const call = kit.server.call("refund", { amount: 5 }, { principal: agent });
  const first = await kit.waiting();
  version = "two";
  await kit.approvals.answer([first], yes, ada);
  const second = await kit.waiting();
  expect(second).not.toBe(first);
  expect(kit.refunds).toEqual([]);
  await kit.approvals.answer([second], yes, ada);
  expect(await call).toBe("refunded 5");
});

test("every policy that asks about something of its own is answered", async () => {
  const policies: Policy[] = [() => ask("The input?"), () => ask("The script?", { subject: "script" }), () => allow()];
  await using kit = await openKit({ policies });
  await expect(refund(kit, 5)).rejects.toEqual(pending);
  await kit.approvals.answer([await kit.waiting()], yes, ada);
  await expect(refund(kit, 5)).rejects.toEqual(pending);
  const asked = await kit.approvals.list({ status: "waiting" });
  expect(asked.map(({ question }) => question)).toEqual(["The script?"]);
  expect(kit.refunds).toEqual([]);
});

test("a caller cannot fill the queue", async () => {
  await using kit = await openKit({ maxWaiting: 3 });
  for (const amount of [1, 2, 3]) await expect(refund(kit, amount)).rejects.toEqual(pending);
  await expect(refund(kit, 4)).rejects.toMatchObject({ code: "CAPACITY" });
  await expect(refund(kit, 3)).rejects.toEqual(pending);
});

test("a store that is broken or missing means not approved", async () => {
  await using kit = await openKit();
  await expect(refund(kit, 5)).rejects.toEqual(pending);
  await kit.approvals.answer([await kit.waiting()], yes, ada);
  await kit.store.close();
  await expect(refund(kit, 5)).rejects.toMatchObject({ code: "APPROVAL_REJECTED" });

  for (const table of ["grants", "approvals"] as const) {
    await using queue = await openKit();
    await expect(refund(queue, 5)).rejects.toEqual(pending);
    const scope = { kind: table === "grants" ? ("always" as const) : ("once" as const) };
    await queue.approvals.answer([await queue.waiting()], { ...yes, scope }, ada);
    await queue.store.db.updateTable(table).set({ rules: "{" }).execute();
    await expect(refund(queue, 5)).rejects.toMatchObject({ code: "APPROVAL_REJECTED" });
    expect(queue.refunds).toEqual([]);
  }
});

test("secrets in what waits are not kept and not shown", async () => {
  await using kit = await openKit();
  await expect(refund(kit, 5, { note: "key open-sesame-1234" })).rejects.toEqual(pending);
  const [waiting] = await kit.approvals.list();
  expect(waiting?.input).toEqual({ amount: 5, note: "key [REDACTED:TILL_KEY]" });
  expect(JSON.stringify(await kit.store.db.selectFrom("approvals").selectAll().execute())).not.toContain("sesame");
});

test("a call that is cancelled while it waits leaves its question behind, and nothing runs", async () => {
  await using kit = await openKit();
  const stop = new AbortController();
  const call = kit.server.call("refund", { amount: 5 }, { principal: agent, signal: stop.signal });
  const id = await kit.waiting();
  stop.abort();
  await expect(call).rejects.toMatchObject({ code: "CANCELLED" });
  await kit.approvals.answer([id], yes, ada);
  expect(kit.refunds).toEqual([]);
  expect(await refund(kit, 5)).toBe("refunded 5");
});

test("of many who come for one approval, one gets it", async () => {
  await using kit = await openKit();
  await expect(refund(kit, 5)).rejects.toEqual(pending);
  await kit.approvals.answer([await kit.waiting()], yes, ada);
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => refund(kit, 5)));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(kit.refunds).toEqual([5]);
});

describe("questions of several rules", () => {
  const total: Policy = function total(_, toolName) {
    return toolName === "refund" ? ask("Is the total right?") : allow();
  };
  const customer: Policy = function customer(_, toolName) {
    return toolName === "refund" ? ask("Is the customer known?") : allow();
  };
  const always = { verdict: "approve", scope: { kind: "always" } } as const;
  const pattern = { verdict: "approve", scope: { kind: "pattern", pattern: { tool: "refund" } } } as const;

  test("are shown together, and one approval answers all that were shown", async () => {
    await using kit = await openKit({ policies: [total, customer] });
    await expect(refund(kit, 5)).rejects.toEqual(pending);
    expect(await kit.approvals.list()).toMatchObject([
      { question: "Is the total right?\nIs the customer known?", rules: ["total", "customer"] },
    ]);
    await kit.approvals.answer([await kit.waiting()], yes, ada);
    expect(await refund(kit, 5)).toBe("refunded 5");
  });

  test.each([
    ["once", yes],
    ["always", always],
    ["for a pattern", pattern],
  ] as const)("an approval given %s does not answer a rule that is added later", async (_, answer) => {
    await using kit = await openKit({ policies: [total] });
    await expect(refund(kit, 5)).rejects.toEqual(pending);
    await kit.approvals.answer([await kit.waiting()], answer, ada);
    kit.server.policy(customer);
    await expect(refund(kit, 5)).rejects.toEqual(pending);
    const [open] = await kit.approvals.list({ status: "waiting" });
    // What a standing approval answers is not asked again.
    expect(open?.rules).toEqual(answer === yes ? ["total", "customer"] : ["customer"]);
    await kit.approvals.answer([open?.id ?? ""], yes, ada);
    expect(await refund(kit, 5)).toBe("refunded 5");
  });

  test("of rules as data keep their approvals when rules are added before them", async () => {
    const asking = { tool: "refund", ask: "Refund {arguments.amount}?" };
    await using first = await openKit({ policies: [rules([asking])] });
    await expect(refund(first, 5)).rejects.toEqual(pending);
    await first.approvals.answer([await first.waiting()], pattern, ada);
    expect(await refund(first, 6)).toBe("refunded 6");
    await first.store.close();
    const added = { tool: "refund", arguments: { amount: { min: 100 } }, ask: "Refund as much as {arguments.amount}?" };
    await using second = await openKit({ file: first.file, policies: [rules([added, asking])] });
    expect(await refund(second, 7)).toBe("refunded 7");
    await expect(refund(second, 100)).rejects.toEqual(pending);
  });
});

test("every decision about identical calls is kept", async () => {
  await using kit = await openKit();
  for (let round = 0; round < 3; round++) {
    await expect(refund(kit, 5)).rejects.toEqual(pending);
    await kit.approvals.answer([await kit.waiting()], yes, round === 1 ? { ...ada, id: "bob" } : ada);
    expect(await refund(kit, 5)).toBe("refunded 5");
  }
  const decisions = await kit.approvals.list();
  expect(decisions.map(({ status, answeredBy }) => [status, answeredBy])).toEqual([
    ["used", "person ada"],
    ["used", "person bob"],
    ["used", "person ada"],
  ]);
  expect(new Set(decisions.map(({ id }) => id)).size).toBe(3);
});
