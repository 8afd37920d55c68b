import { beforeEach, describe, expect, test } from "vitest";
import { ask, server, tool } from "biplane";
import type { Principal } from "biplane";
import { openStore } from "biplane/store";
import type { SqlStore } from "biplane/store";
import { openApprovals } from "../../../packages/biplane/src/governance/approvals/approvals.ts";
import { AnswerLinks } from "../../../packages/biplane/src/governance/notifications/answer-links.ts";
import { AnswerTokens } from "../../../packages/biplane/src/governance/notifications/answer-token.ts";
import { DeliveryQueue } from "../../../packages/biplane/src/governance/notifications/delivery-queue.ts";
import { openPeople } from "../../../packages/biplane/src/governance/people/people.ts";
import type { AuditEntry } from "../../../packages/core/src/call/audit.ts";

const agent = { kind: "token", id: "agent", scopes: [] } as const;
const person = { name: "ada", scopes: ["approvals"], createdAt: "", role: null, provider: null };
const nobody = { address: "203.0.113.9", findPerson: async () => undefined };
const withAda = { address: "203.0.113.9", findPerson: async () => person };
const approve = { verdict: "approve" } as const;

let store: SqlStore;
beforeEach(async () => {
  store = await openStore(":memory:");
  return () => store.close();
});

/** A gateway whose targets get links. The newest message's link is returned for each call. */
function openGateway(options: { approvers?: number; lastsMs?: number } = {}) {
  let now = 1_800_000_000_000;
  const lines: AuditEntry[] = [];
  const audit = { record: (entry: AuditEntry) => void lines.push(entry) };
  const queue = new DeliveryQueue(store, ["channel", "ada-phone", "silent"]);
  const approvals = openApprovals({ store, audit, outbox: queue, pollMs: 5, now: () => now });
  const links = new AnswerLinks({
    queue,
    tokens: new AnswerTokens("key"),
    targets: [
      { name: "channel", hasAnswerLinks: true },
      { name: "ada-phone", hasAnswerLinks: true, person: "ada" },
      { name: "silent", hasAnswerLinks: false },
    ],
    approvals,
    lastsMs: options.lastsMs ?? 600_000,
    audit,
    now: () => now,
  });
  const ran: unknown[] = [];
  const gateway = server({
    name: "gateway",
    tools: [
      tool({
        name: "refund",
        input: { type: "object", properties: { amount: { type: "number" } } },
        run: (input) => void ran.push(input),
      }),
    ],
    approver: approvals,
    policies: [() => ask("May it?", { rule: "refunds", approvers: options.approvers ?? 1 })],
  });
  const call = (principal: Principal = agent) =>
    gateway.call("refund", { amount: 5 }, { principal, patienceMs: 0 }).then(
      () => "ran",
      ({ code }: { code: string }) => code,
    );
  const tokenOf = async (target: string) => {
    const row = (await queue.list(10)).find((each) => each.target === target);
    return row ? links.tokenFor(row) : "";
  };
  const wait = (ms: number) => void (now += ms);
  return { call, tokenOf, links, approvals, ran, lines, wait };
}

describe("a link that answers", () => {
  test("shows the call without answering it, and approves it once", async () => {
    const { call, tokenOf, links, ran, approvals, lines } = openGateway();
    expect(await call()).toBe("APPROVAL_PENDING");
    const token = await tokenOf("channel");
    for (let times = 0; times < 3; times++)
      expect(await links.open(token, nobody)).toMatchObject({
        approval: { question: "May it?", status: "waiting", rules: ["refunds"] },
        answersAs: "link channel",
      });
    expect(await call()).toBe("APPROVAL_PENDING");
    await links.answer(token, { ...approve, comment: "fine" }, nobody);
    expect(await call()).toBe("ran");
    expect(ran).toEqual([{ amount: 5 }]);
    expect((await approvals.list())[0]).toMatchObject({ status: "used", answeredBy: "person link channel" });
    const used = lines.find(({ tool: name }) => name === "approvals/link");
    expect(used?.input).toMatchObject({ target: "channel", address: "203.0.113.9" });
  });

  test("works once, also if it is sent many times at the same moment, and never for the same call asked again", async () => {
    const { call, tokenOf, links, ran, lines } = openGateway();
    await call();
    const token = await tokenOf("channel");
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => links.answer(token, approve, nobody)));
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await call()).toBe("ran");
    expect(await call()).toBe("APPROVAL_PENDING");
    await expect(links.answer(token, approve, nobody)).rejects.toThrow("Each link works once");
    await expect(links.open(token, nobody)).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await call()).toBe("APPROVAL_PENDING");
    expect(ran).toHaveLength(1);
    expect(lines.filter(({ input }) => JSON.stringify(input).includes("used again"))).toHaveLength(1);
  });

  test("of an earlier question does not answer the same call when it is asked again", async () => {
    const { call, tokenOf, links, approvals, wait } = openGateway();
    await call();
    const token = await tokenOf("channel");
    const [first] = await approvals.list();
    await approvals.answer([first?.id ?? ""], approve, { kind: "person", id: "bob", scopes: [] });
    expect(await call()).toBe("ran");
    wait(1000);
    await call();
    await expect(links.answer(token, approve, nobody)).rejects.toThrow("no longer waiting");
    expect(await call()).toBe("APPROVAL_PENDING");
  });

  test("expires by itself, and with its question", async () => {
    const short = openGateway({ lastsMs: 60_000 });
    await short.call();
    const token = await short.tokenOf("channel");
    short.wait(60_000);
    await expect(short.links.open(token, nobody)).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(short.links.answer(token, approve, nobody)).rejects.toThrow("expired");
    expect(await short.call()).toBe("APPROVAL_PENDING");
    const long = openGateway({ lastsMs: 100 * 3_600_000 });
    long.wait(7_200_000);
    await long.call();
    const other = await long.tokenOf("channel");
    long.wait(3_600_001);
    await expect(long.links.answer(other, approve, nobody)).rejects.toThrow("expired");
  });

  test("is refused for a target without links, and if it is forged", async () => {
    const { call, tokenOf, links } = openGateway();
    await call();
    await expect(links.open(await tokenOf("silent"), nobody)).rejects.toMatchObject({ code: "NOT_FOUND" });
    const forged = new AnswerTokens("guessed").make({ id: `msg_${"0".repeat(32)}`, expiresAt: 2e12 });
    await expect(links.open(forged, nobody)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("makes no standing approval, whatever it is asked for", async () => {
    const { call, tokenOf, links, approvals } = openGateway();
    await call();
    await links.answer(await tokenOf("channel"), { ...approve, scope: { kind: "always", for: "everyone" } }, nobody);
    expect(await approvals.grants()).toEqual([]);
    expect(await call()).toBe("ran");
    expect(await call()).toBe("APPROVAL_PENDING");
  });

  test("of a person counts as theirs, while they may answer", async () => {
    const { call, tokenOf, links, approvals } = openGateway();
    await call();
    const token = await tokenOf("ada-phone");
    await expect(links.answer(token, approve, nobody)).rejects.toThrow("belongs to ada");
    const without = { ...withAda, findPerson: async () => ({ ...person, scopes: ["audit"] }) };
    await expect(links.answer(token, approve, without)).rejects.toThrow("belongs to ada");
    await links.answer(token, { verdict: "reject", reason: "too much" }, withAda);
    expect(await call()).toBe("APPROVAL_REJECTED");
    expect((await approvals.list())[0]).toMatchObject({ answeredBy: "person ada", reason: "too much" });
  });

  test("answers no call of a person, unless it belongs to another one", async () => {
    const bob = openGateway();
    await bob.call({ kind: "person", id: "bob", scopes: [] });
    await expect(bob.links.answer(await bob.tokenOf("channel"), approve, nobody)).rejects.toThrow("Sign in");
    await bob.links.answer(await bob.tokenOf("ada-phone"), approve, withAda);
    expect(await bob.call({ kind: "person", id: "bob", scopes: [] })).toBe("ran");
    const ada = openGateway();
    ada.wait(10_000);
    await ada.call({ kind: "person", id: "ada", scopes: [] });
    await expect(ada.links.open(await ada.tokenOf("ada-phone"), withAda)).rejects.toThrow("your own call");
  });

  test("counts as one of two people only if it belongs to a person", async () => {
    const people = openPeople({ store, cost: { N: 1024, r: 8, p: 1 } });
    await people.add({ name: "ada", passphrase: "correct horse battery staple", role: "approver" });
    const { call, tokenOf, links, approvals } = openGateway({ approvers: 2 });
    await call();
    await expect(links.answer(await tokenOf("channel"), approve, nobody)).rejects.toThrow("needs 2 approvers");
    await links.answer(await tokenOf("ada-phone"), approve, withAda);
    expect(await call()).toBe("APPROVAL_PENDING");
    const [waiting] = await approvals.list({ status: "waiting" });
    expect(waiting).toMatchObject({ approvers: 2, votes: [{ by: "person ada" }] });
    await approvals.answer([waiting?.id ?? ""], approve, { kind: "person", id: "bob", scopes: [] });
    expect(await call()).toBe("ran");
  });
});
