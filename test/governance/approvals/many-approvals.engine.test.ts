import { expect, test } from "vitest";
import type { Principal } from "biplane";
import { approvalsPack } from "../../../packages/biplane/src/pack/approvals/pack.ts";
import { heldMs } from "../../support/hold-meter.ts";
import { PackServer } from "../../pack/pack-server.ts";
import { ada, agent, openKit } from "./approval-server.ts";
import type { Kit } from "./approval-server.ts";

const other: Principal = { kind: "token", id: "other", scopes: [] };
const note = "x".repeat(90_000);

const ask = (kit: Kit, amount: number, principal: Principal) =>
  kit.server.call("refund", { amount, note }, { principal, patienceMs: 0 }).catch((error: unknown) => error);

test("a caller's list has no calls of other callers", async () => {
  await using kit = await openKit();
  for (const amount of [1, 2, 3]) await ask(kit, amount, other);
  await ask(kit, 1, agent);
  const own = await kit.approvals.ofCaller(agent, 10);
  expect(own.map(({ principal }) => principal.id)).toEqual(["agent"]);
});

test("the newest come first, at most as many as were asked for, with their answers", async () => {
  let now = Date.parse("2026-03-01T00:00:00Z");
  await using kit = await openKit({ now: () => now });
  for (const amount of [1, 2, 3]) {
    now += 1000;
    await ask(kit, amount, agent);
  }
  const [newest] = await kit.approvals.ofCaller(agent, 1);
  expect(newest?.input).toMatchObject({ amount: 3 });
  await kit.approvals.answer([newest?.id ?? ""], { verdict: "reject", reason: "too much" }, ada);
  expect((await kit.approvals.ofCaller(agent, 2)).map(({ status }) => status)).toEqual(["rejected", "waiting"]);
});

test("a caller reads why a call was rejected, and no comment on an approval", async () => {
  await using kit = await openKit();
  await using pack = new PackServer(approvalsPack({ approvals: kit.approvals }));
  for (const amount of [1, 2]) await ask(kit, amount, agent);
  const ids = (await kit.approvals.list()).map(({ id }) => id);
  await kit.approvals.answer([ids[0] ?? ""], { verdict: "approve", comment: "for the auditors only" }, ada);
  await kit.approvals.answer([ids[1] ?? ""], { verdict: "reject", reason: "too much" }, ada);
  const shown = JSON.stringify(await pack.server.call("approvals_waiting", {}, { principal: agent }));
  expect(shown).toContain("too much");
  expect(shown).toContain("approved");
  expect(shown).not.toContain("auditors");
});

test("long inputs that wait hold the event loop neither while they wait nor when they are listed", async () => {
  await using kit = await openKit({ pollMs: 1 });
  await using pack = new PackServer(approvalsPack({ approvals: kit.approvals }));
  const calls = Array.from({ length: 100 }, (_, amount) =>
    kit.server.call("refund", { amount, note }, { principal: agent, patienceMs: 60_000 }).catch(() => undefined),
  );
  await expect.poll(() => kit.approvals.waiting()).toBe(100);
  const held = await heldMs(async () => {
    for (let round = 0; round < 20; round++) await new Promise((resolve) => setTimeout(resolve, 2));
  });
  expect(held).toBeLessThan(100);
  let shown = "";
  const listing = await heldMs(async () => {
    const { approvals } = (await pack.server.call("approvals_waiting", {}, { principal: agent })) as {
      approvals: unknown[];
    };
    shown = JSON.stringify(approvals);
  });
  expect(listing).toBeLessThan(100);
  expect(shown.length).toBeLessThan(600_000);
  await kit.approvals.answer(
    (await kit.approvals.list({ status: "waiting" })).map(({ id }) => id),
    { verdict: "reject", reason: "no" },
    ada,
  );
  await Promise.all(calls);
});
