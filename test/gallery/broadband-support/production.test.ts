import { expect, test } from "vitest";
import { rules } from "biplane";
import { connect } from "biplane/client";
import { broadbandServer, broadbandSupport } from "biplane/gallery";
import { openApprovals, simulatedApprover } from "biplane/governance";
import { openStore } from "biplane/store";
import { supportTasks } from "../../../packages/gallery/src/broadband-support/tasks/support-tasks.ts";
import type { RecordChanges } from "../../../packages/gallery/src/broadband-support/records.ts";
import { play } from "./agents.ts";

const policy = rules([
  { tool: "invoice_refund", arguments: { amount: { max: 50 } }, allow: true },
  { tool: "invoice_refund", ask: "Refund {arguments.amount}?" },
  { tool: "*", allow: true },
]);
const large = { invoice_id: "I-3122", amount: 79, reason: "cancelled_order" };
const small = { invoice_id: "I-3202", amount: 4, reason: "duplicate_item" };

test("a large refund waits for a person in production while the benchmark runs under the same rules", async () => {
  const store = await openStore(":memory:");
  const approvals = openApprovals({ store });
  const changes: RecordChanges = {};
  await using production = broadbandServer({ policies: [policy], approver: approvals, changes });
  const { url } = await production.serve("http://127.0.0.1:0");
  await using host = await connect(`${url}/mcp`, { tasks: false });
  expect(await host.callTool("invoice_refund", small)).toMatchObject({ structuredContent: { refunded: 4 } });
  expect(await host.callTool("invoice_refund", large)).toMatchObject({ isError: true });
  expect(Object.keys(changes.invoices ?? {})).toEqual(["I-3202"]);

  await using benchmark = broadbandSupport();
  benchmark.policy(policy).govern({ approver: simulatedApprover({ seed: 1 }) });
  for (const task of supportTasks.filter(({ level }) => level === 2))
    expect([task.id, (await play(benchmark, task, task.plan)).totalReward]).toEqual([task.id, 1]);

  const [waiting, ...others] = await approvals.list({ status: "waiting" });
  expect([waiting?.question, others]).toEqual(["Refund 79?", []]);
  expect(changes.invoices?.["I-3122"]).toBeUndefined();
  await approvals.answer([waiting?.id ?? ""], { verdict: "approve" }, { kind: "person", id: "ada", scopes: [] });
  expect(await host.callTool("invoice_refund", large)).toMatchObject({ structuredContent: { refunded: 79 } });
  expect(changes.invoices?.["I-3122"]).toMatchObject({ refunded: 79 });
  await store.close();
});

test("a rejected refund loses the task, and the agent reads why", async () => {
  await using benchmark = broadbandSupport();
  benchmark.policy(policy).govern({ approver: simulatedApprover({ seed: 1, approve: 0 }) });
  const task = supportTasks.find(({ id }) => id === "cancelled-order-charged") ?? expect.fail("no such task");
  const episode = await benchmark.start({ config: { task_id: task.id } });
  await expect(benchmark.call(episode, "invoice_refund", large)).rejects.toThrow(
    "A simulated person rejected the call",
  );
  expect((await play(benchmark, task, task.plan)).totalReward).toBe(0);
});

test("production has no customer to talk to, says what is wrong, and locks a check after three failures", async () => {
  await using production = broadbandServer();
  await using host = await connect(production);
  expect((await host.listTools()).map(({ name }) => name)).not.toContain("message_customer");
  expect(await host.callTool("order_get", { order_id: "O-5999" })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("There is no order O-5999.") }],
  });
  const guess = { customer_id: "C-1001", postcode: "10000", card_last4: "0000" };
  const answers = [];
  for (let attempt = 0; attempt < 4; attempt++) answers.push(await host.callTool("customer_verify", guess));
  expect(answers.slice(0, 3)).toMatchObject([2, 1, 0].map((left) => ({ structuredContent: { attempts_left: left } })));
  expect(answers[3]).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("locked") }] });
});
