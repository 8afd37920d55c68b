import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { rules, server, tool } from "biplane";
import type { Principal } from "biplane";
import { openApprovals } from "biplane/governance";
import type { Approvals } from "biplane/governance";
import { openStore } from "biplane/store";
import { connect } from "biplane/client";
import { approvalsPack } from "../../packages/biplane/src/pack/approvals/pack.ts";
import { openStage } from "./built-in-stage.ts";
import type { Shown, Stage } from "./built-in-stage.ts";

// A browser on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const ada: Principal = { kind: "person", id: "ada", scopes: [] };
const patient = { timeout: 10_000 };
const publicUrl = "https://tools.example.com/";

async function kit() {
  const store = await openStore(":memory:");
  const approvals = openApprovals({ store });
  const refunds: unknown[] = [];
  const gateway = server({
    name: "kit",
    version: "1.0.0",
    tools: [
      tool({
        name: "refund",
        description: "Pay money back",
        input: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
        run: ({ amount }) => `refunded ${refunds.push(amount) && String(amount)}`,
      }),
    ],
    packs: [approvalsPack({ approvals, publicUrl })],
    policies: [
      rules([
        { tool: "refund", ask: "Refund {arguments.amount}?" },
        { tool: "*", allow: true },
      ]),
    ],
    approver: approvals,
  });
  const { url } = await gateway.serve({ url: "http://127.0.0.1:0", graceMs: 200 });
  const client = await connect(`${url}/mcp`, { apps: true, tasks: false });
  const dispose = async () => {
    await client.close();
    await gateway.close();
    await store.close();
  };
  return { approvals, refunds, gateway, client, [Symbol.asyncDispose]: dispose };
}

async function newest(approvals: Approvals): Promise<string> {
  const [found] = await approvals.list({ limit: 1 });
  return found?.id ?? "";
}

const card = ({ view }: Shown, id: string) => view.locator(`[data-id="${id}"]`);

test.each(["ours", "official"] as const)(
  "in %s host a call that waits is shown, decided elsewhere, and then goes through once",
  async (host) => {
    await using gateway = await kit();
    const { client, approvals, refunds } = gateway;
    await client.callTool("refund", { amount: 500 });
    const id = await newest(approvals);
    await using shown = await stage.show(client, { tool: "approvals_waiting", host });
    const { view } = shown;
    await view.getByRole("heading", { name: "1 call is waiting for approval" }).waitFor();
    await card(shown, id).getByText("Refund 500?").waitFor();
    expect(await shown.barriers()).toEqual([]);

    await card(shown, id).getByRole("button", { name: "Open to decide" }).click();
    await expect.poll(() => shown.links, patient).toEqual([`https://tools.example.com/#/approvals/${id}`]);
    expect(await approvals.get(id)).toMatchObject({ status: "waiting" });

    await approvals.answer([id], { verdict: "approve" }, ada);
    await card(shown, id).getByText("Approved").waitFor();
    await card(shown, id).getByRole("button", { name: "Run it now" }).click();
    await card(shown, id).getByText("refunded 500").waitFor();
    await card(shown, id).getByText("Approved and run").waitFor();
    await expect.poll(() => shown.contexts.at(-1), patient).toContain("Its result: refunded 500");
    expect(refunds).toEqual([500]);
    // Once, and for this input: the next one asks again.
    expect(await client.callTool("refund", { amount: 500 })).toMatchObject({ isError: true });
    expect(refunds).toEqual([500]);
  },
);

test("no message of the page approves anything", async () => {
  await using gateway = await kit();
  const { client, approvals, refunds } = gateway;
  await client.callTool("refund", { amount: 900 });
  const id = await newest(approvals);
  await using shown = await stage.show(client, { tool: "approvals_waiting" });
  await card(shown, id).waitFor();
  const tools = [...(await client.listTools()).map(({ name }) => name), "approvals_answer", "approvals/answer"];
  const inputs = [
    {},
    { id, verdict: "approve" },
    { ids: [id], answer: { verdict: "approve" } },
    { amount: 900, approved: true },
  ];
  for (const name of tools) for (const input of inputs) await shown.ask("tools/call", { name, arguments: input });
  const asAnswer = { approval: { id, verdict: "approve" } };
  await shown.ask("tools/call", {
    name: "refund",
    arguments: { amount: 900 },
    _meta: asAnswer,
    inputResponses: asAnswer,
  });
  for (const method of ["approvals/answer", "elicitation/create", "ui/approve"]) await shown.ask(method, { id });
  await shown.ask("resources/read", { uri: `approvals://${id}/approve` });
  expect(await approvals.get(id)).toMatchObject({ status: "waiting" });
  expect(await approvals.grants()).toEqual([]);
  expect(refunds).toEqual([]);
  expect(shown.calls.length).toBeGreaterThan(8);
});

test("a rejection is shown with its reason, and there is nothing to press", async () => {
  await using gateway = await kit();
  const { client, approvals } = gateway;
  await client.callTool("refund", { amount: 700 });
  const id = await newest(approvals);
  await approvals.answer([id], { verdict: "reject", reason: "The order was <b>never</b> paid" }, ada);
  await using shown = await stage.show(client, { tool: "approvals_waiting" });
  await card(shown, id).getByText("Reason: The order was <b>never</b> paid").waitFor();
  expect(await shown.view.getByRole("button").count()).toBe(0);
});

test("callers see only their own calls, and the text has what the page has", async () => {
  await using gateway = await kit();
  const { approvals } = gateway;
  const mia: Principal = { kind: "token", id: "mia", scopes: [] };
  const leo: Principal = { kind: "token", id: "leo", scopes: [] };
  const impostor: Principal = { kind: "anonymous", id: "mia", scopes: [] };
  const waits = { code: "APPROVAL_PENDING" };
  await expect(gateway.gateway.call("refund", { amount: 1 }, { principal: mia, patienceMs: 0 })).rejects.toMatchObject(
    waits,
  );
  await expect(gateway.gateway.call("refund", { amount: 2 }, { principal: leo, patienceMs: 0 })).rejects.toMatchObject(
    waits,
  );
  const look = async (principal: Principal) =>
    (await gateway.gateway.call("approvals_status", {}, { principal })) as { approvals: { input: unknown }[] };
  expect((await look(mia)).approvals.map(({ input }) => input)).toEqual([{ amount: 1 }]);
  expect((await look(leo)).approvals.map(({ input }) => input)).toEqual([{ amount: 2 }]);
  expect((await look(impostor)).approvals).toEqual([]);
  // Who they are to each other, and how an approval is made, is not for agents.
  expect(Object.keys((await look(mia)).approvals[0] ?? {}).sort()).toEqual(
    ["askedAt", "expiresAt", "id", "input", "link", "question", "status", "tool"].sort(),
  );
  await gateway.client.callTool("refund", { amount: 500 });
  const { content } = await gateway.client.callTool("approvals_waiting");
  const id = await newest(approvals);
  expect(content).toEqual([
    {
      type: "text",
      text: `1 of your calls waits for approval:\n- refund {"amount":500}: Refund 500? (approval ${id}; a person decides at https://tools.example.com/#/approvals/${id})`,
    },
  ]);
});

test("a model does not see the tool that is for the page alone", async () => {
  await using gateway = await kit();
  const plain = await connect(gateway.gateway);
  expect((await plain.listTools()).map(({ name }) => name)).toEqual(["refund", "approvals_waiting"]);
  await plain.close();
});
