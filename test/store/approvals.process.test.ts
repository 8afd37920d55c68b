import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { ask, server, tool } from "biplane";
import type { Principal } from "biplane";
import type { SqlStore } from "biplane/store";
import { openApprovals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import { openPeople } from "../../packages/biplane/src/governance/people/people.ts";
import { openSecrets } from "../../packages/biplane/src/governance/secrets/secrets.ts";
import { describeEngines } from "../support/each-engine.ts";

const agent = { kind: "token", id: "agent", scopes: [] } as const;
const ada = { kind: "person", id: "ada", scopes: [] } as const;
const yes = { verdict: "approve" } as const;

/** A server whose calls all need approval. */
function gatewayOn(store: SqlStore, now = () => Date.now()) {
  const approvals = openApprovals({ store, pollMs: 5, now });
  const ran: number[] = [];
  const refund = tool({
    name: "refund",
    input: { type: "object", properties: { amount: { type: "number" } } },
    run: ({ amount }) => void ran.push(Number(amount)),
  });
  const gateway = server({ name: "gateway", tools: [refund], approver: approvals, policies: [() => ask("May it?")] });
  const call = (amount: number) =>
    gateway.call("refund", { amount }, { principal: agent, patienceMs: 0 }).then(
      () => "ran",
      (error: { code: string }) => error.code,
    );
  const answer = async (what: Parameters<typeof approvals.answer>[1]) => {
    const [waiting] = await approvals.list({ status: "waiting" });
    return approvals.answer([waiting?.id ?? ""], what, ada);
  };
  return { approvals, ran, call, answer };
}

describeEngines("approvals", ({ open, location }) => {
  test("are used up once, however many calls come at once from two processes", async () => {
    const at = await location();
    const [one, other] = [gatewayOn(await open(at)), gatewayOn(await open(at))];
    expect(await one.call(5)).toBe("APPROVAL_PENDING");
    await other.answer(yes);
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? one : other).call(5)));
    expect(outcomes.filter((outcome) => outcome === "ran")).toHaveLength(1);
    expect([...one.ran, ...other.ran]).toEqual([5]);
  });

  test("are answered by one person, if two answer at once", async () => {
    const at = await location();
    const [one, other] = [gatewayOn(await open(at)), gatewayOn(await open(at))];
    await one.call(5);
    const id = (await one.approvals.list())[0]?.id ?? "";
    const bob = { kind: "person", id: "bob", scopes: [] } as const;
    const answers = await Promise.allSettled([
      one.approvals.answer([id], { verdict: "reject", reason: "no" }, bob),
      other.approvals.answer([id], { ...yes, scope: { kind: "always" } }, ada),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await one.approvals.grants()).toHaveLength(answers[1].status === "fulfilled" ? 1 : 0);
  });

  test("keep every decision, also of the same call asked again and again", async () => {
    const { approvals, call, answer } = gatewayOn(await open());
    for (let round = 0; round < 3; round++) {
      expect(await call(5)).toBe("APPROVAL_PENDING");
      await answer(yes);
      expect(await call(5)).toBe("ran");
    }
    await call(5);
    await answer({ verdict: "reject", reason: "enough" });
    expect(await call(5)).toBe("APPROVAL_REJECTED");
    const all = await approvals.list();
    expect(all.map(({ status }) => status)).toEqual(["rejected", "used", "used", "used"]);
    expect(new Set(all.map(({ id }) => id)).size).toBe(4);
    expect(all.every(({ answeredBy }) => answeredBy === "person ada")).toBe(true);
    for (const { id, status } of all) expect(await approvals.get(id)).toMatchObject({ id, status });
    const pages = [await approvals.list({ limit: 3 }), await approvals.list({ after: all[2]?.id ?? "" })];
    expect(pages.flat()).toEqual(all);
    expect(await approvals.previous(all[0]?.id ?? "")).toBeUndefined(); // only of another call
  });

  test("know the approved call before them, and not one after them", async () => {
    let now = Date.now();
    const { approvals, call, answer } = gatewayOn(await open(), () => now);
    for (const amount of [1, 2, 3]) {
      await call(amount);
      await answer(yes);
      now += 1000;
    }
    const [last, middle, first] = await approvals.list();
    expect((await approvals.previous(last?.id ?? ""))?.id).toBe(middle?.id);
    expect((await approvals.previous(middle?.id ?? ""))?.id).toBe(first?.id);
    expect(await approvals.previous(first?.id ?? "")).toBeUndefined();
    await call(4);
    const [waiting] = await approvals.list({ status: "waiting" });
    expect((await approvals.previous(waiting?.id ?? ""))?.id).toBe(last?.id);
  });

  test("are found by status, tool, caller and batch, and expire", async () => {
    let now = Date.now();
    const { approvals, call } = gatewayOn(await open(), () => now);
    await call(1);
    await call(2);
    expect(await approvals.list({ principal: "agent", tool: "refund", status: "waiting" })).toHaveLength(2);
    expect(await approvals.list({ principal: "other" })).toEqual([]);
    expect(await approvals.list({ tool: "other" })).toEqual([]);
    expect(await approvals.waiting()).toBe(2);
    now += 3_600_001;
    expect(await approvals.waiting()).toBe(0);
    expect(await approvals.list({ status: "expired" })).toHaveLength(2);
    expect(await call(1)).toBe("APPROVAL_PENDING");
    expect(await approvals.waiting()).toBe(1);
  });

  test("that stand hold until they are revoked, and what came with them ends too", async () => {
    const { approvals, call, answer } = gatewayOn(await open());
    await call(5);
    await answer({ ...yes, scope: { kind: "pattern", pattern: { arguments: { amount: { max: 10 } } } } });
    expect([await call(5), await call(7), await call(11)]).toEqual(["ran", "ran", "APPROVAL_PENDING"]);
    const [grant] = await approvals.grants();
    expect(await approvals.revoke(grant?.id ?? "", ada)).toBe(true);
    expect(await approvals.revoke(grant?.id ?? "", ada)).toBe(false);
    expect(await call(7)).toBe("APPROVAL_PENDING");
  });

  test("about a subject replace each other", async () => {
    const store = await open();
    const { approvals } = gatewayOn(store);
    const subject = { server: "gateway", tool: "refund", subject: { file: "a.star" } };
    await approvals.decide(subject, yes, ada);
    expect([(await approvals.grants()).length, (await approvals.rejections()).length]).toEqual([1, 0]);
    await approvals.decide(subject, { verdict: "reject", reason: "no" }, ada);
    await approvals.decide(subject, { verdict: "reject", reason: "still no" }, ada);
    expect([(await approvals.grants()).length, await approvals.rejections()]).toMatchObject([
      0,
      [{ reason: "still no", refusedBy: "person ada", subject: { file: "a.star" } }],
    ]);
    await approvals.decide(subject, yes, ada);
    expect([(await approvals.grants()).length, (await approvals.rejections()).length]).toEqual([1, 0]);
    const decisions = await store.db.selectFrom("decisions").select("verdict").orderBy("number").execute();
    expect(decisions.map(({ verdict }) => verdict)).toEqual(["approve", "reject", "reject", "approve"]);
  });
});

describeEngines("approvals by several people", ({ open, location }) => {
  const bob = { kind: "person", id: "bob", scopes: [] } as const;

  /** Calls of more than 100 need two people. */
  function pairOn(store: SqlStore) {
    const approvals = openApprovals({ store, pollMs: 5 });
    let approvers = 2;
    const refund = tool({ name: "refund", input: { type: "object", properties: { note: {} } }, run: () => "ran" });
    const gateway = server({
      name: "gateway",
      tools: [refund],
      approver: approvals,
      policies: [() => ask("May it?", { rule: "two", approvers })],
    });
    const call = () =>
      gateway.call("refund", {}, { principal: agent, patienceMs: 0 }).then(
        () => "ran",
        ({ code }: { code: string }) => code,
      );
    const need = (count: number) => void (approvers = count);
    const waiting = async () => (await approvals.list({ status: "waiting" }))[0];
    const answer = async (by: Principal, what: Parameters<typeof approvals.answer>[1] = yes) =>
      approvals.answer([(await waiting())?.id ?? ""], what, by);
    return { approvals, call, need, waiting, answer };
  }

  async function addPeople(store: SqlStore) {
    const people = openPeople({ store, cost: { N: 1024, r: 8, p: 1 } });
    for (const name of ["ada", "bob", "cyd"])
      await people.add({ name, passphrase: "correct horse battery staple", scopes: ["approvals"] });
    return people;
  }

  test("wait for the second, who must be another one", async () => {
    const store = await open();
    await addPeople(store);
    const { call, answer, waiting, approvals } = pairOn(store);
    expect(await call()).toBe("APPROVAL_PENDING");
    await answer(ada, { ...yes, comment: "first" });
    expect(await waiting()).toMatchObject({ approvers: 2, votes: [{ by: "person ada", comment: "first" }] });
    expect(await call()).toBe("APPROVAL_PENDING");
    await expect(answer(ada)).rejects.toMatchObject({ code: "CONFLICT" });
    await answer(bob);
    expect(await call()).toBe("ran");
    expect((await approvals.list())[0]).toMatchObject({ status: "used", answeredBy: "person ada and person bob" });
    expect(await call()).toBe("APPROVAL_PENDING");
  });

  test("are complete if two approve at the same moment in two processes", async () => {
    const at = await location();
    const store = await open(at);
    await addPeople(store);
    const [one, other] = [pairOn(store), pairOn(await open(at))];
    await one.call();
    const id = (await one.waiting())?.id ?? "";
    await Promise.all([one.approvals.answer([id], yes, ada), other.approvals.answer([id], yes, bob)]);
    expect(await one.call()).toBe("ran");
  });

  test("do not count who was removed or may no longer approve", async () => {
    const store = await open();
    const people = await addPeople(store);
    const { call, need, answer, waiting } = pairOn(store);
    need(3);
    await call();
    await answer(ada);
    await answer(bob);
    await people.remove("ada");
    await people.setAccess("bob", { scopes: ["approvals:read"] });
    await answer({ ...ada, id: "cyd" });
    expect((await waiting())?.votes).toMatchObject([{ by: "person cyd" }]);
    expect(await call()).toBe("APPROVAL_PENDING");
    await answer({ kind: "local", id: "terminal", scopes: [] });
    expect(await call()).toBe("APPROVAL_PENDING");
    await people.setAccess("bob", { role: "approver" });
    await answer({ kind: "local", id: "other terminal", scopes: [] });
    expect(await call()).toBe("ran");
  });

  test("end with one rejection, and never become standing approvals", async () => {
    const { call, answer, approvals, waiting } = pairOn(await open());
    await call();
    await expect(answer(ada, { ...yes, scope: { kind: "always", for: "everyone" } })).rejects.toThrow("needs 2 people");
    expect((await waiting())?.votes).toEqual([]);
    await answer(ada);
    await answer(bob, { verdict: "reject", reason: "no" });
    expect(await call()).toBe("APPROVAL_REJECTED");
    expect(await approvals.grants()).toEqual([]);
  });

  test("are not answered by what one person granted before, nor by a question that needed one", async () => {
    const { call, answer, need, approvals } = pairOn(await open());
    need(1);
    await call();
    await answer(ada, { ...yes, scope: { kind: "always", for: "everyone" } });
    expect([await call(), await call()]).toEqual(["ran", "ran"]);
    need(2);
    expect(await call()).toBe("APPROVAL_PENDING");
    need(3);
    expect(await call()).toBe("APPROVAL_PENDING");
    const needed = (await approvals.list({ status: "waiting" })).map(({ approvers }) => approvers);
    expect(new Set(needed)).toEqual(new Set([2, 3]));
  });

  test("are assigned to a person, and found by that", async () => {
    const { call, waiting, approvals } = pairOn(await open());
    await call();
    const id = (await waiting())?.id ?? "";
    await approvals.assign([id], "bob", ada);
    expect(await approvals.list({ assignee: "bob" })).toMatchObject([{ id, assignee: "bob" }]);
    await approvals.assign([id], null, ada);
    expect(await approvals.list({ assignee: "bob" })).toEqual([]);
    await expect(approvals.assign(["none"], "bob", ada)).rejects.toThrow("There is no approval none");
  });
});

describeEngines("people and secrets", ({ open, location }) => {
  test("two processes know the same people, sessions, tokens and secrets", async () => {
    const at = await location();
    const [one, other] = [await open(at), await open(at)];
    const cost = { N: 1024, r: 8, p: 1 };
    const [here, there] = [openPeople({ store: one, cost }), openPeople({ store: other, cost })];
    const person = { name: "ada", passphrase: "correct horse battery staple" };
    await here.add(person);
    await expect(there.add(person)).rejects.toThrow("already exists");
    const session = await there.signIn(person, "127.0.0.1");
    expect(await here.bySession(session)).toMatchObject({ principal: { id: "ada" } });
    const { token, id } = await here.newToken("ada", { label: "ci" });
    expect(await there.byToken(token)).toMatchObject({ id: "ada" });
    expect(await there.tokens("ada")).toMatchObject([{ id, label: "ci" }]);
    expect([await there.revokeToken("ada", id), await here.byToken(token)]).toEqual([true, undefined]);
    await there.signOutEverywhere("ada");
    expect(await here.bySession(session)).toBeUndefined();
    expect([await here.remove("ada"), await there.list()]).toEqual([true, []]);

    const key = randomBytes(32);
    const secrets = await openSecrets({ store: one, key, environment: {} });
    await secrets.set("API_KEY", "first-value-of-the-key");
    await secrets.set("API_KEY", "second-value-of-the-key");
    const again = await openSecrets({ store: other, key, environment: {} });
    expect(again.get("API_KEY")).toBe("second-value-of-the-key");
    expect([await again.delete("API_KEY"), await again.delete("API_KEY")]).toEqual([true, false]);
    await secrets.reload();
    expect(secrets.get("API_KEY")).toBeUndefined();
  });
});
