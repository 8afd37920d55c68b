import { environment, rules, server, tool } from "biplane";
import { openApprovals, simulatedApprover } from "biplane/governance";
import { openStore } from "biplane/store";

const money = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] };
const policy = rules([
  { tool: "refund", arguments: { amount: { max: 100 } }, allow: true },
  { tool: "refund", ask: "Refund {arguments.amount}?" },
]);

// In production a person decides.
const store = await openStore(":memory:");
const approvals = openApprovals({ store });
const refund = tool({ name: "refund", input: money, run: ({ amount }) => `refunded ${String(amount)}` });
const shop = server({ name: "shop", version: "1.0.0", tools: [refund], policies: [policy], approver: approvals });
const { url } = await shop.serve("http://127.0.0.1:0");

async function callRefund(amount: number): Promise<string> {
  const body = JSON.stringify({ tool: "refund", arguments: { amount } });
  const response = await fetch(`${url}/mcp/execute`, { method: "POST", body });
  const { result, error } = (await response.json()) as { result?: string; error?: string };
  return `${response.status} ${result ?? error}`;
}

console.log(await callRefund(50));
console.log(await callRefund(500));
const [waiting] = await approvals.list({ status: "waiting" });
console.log(waiting?.question, JSON.stringify(waiting?.input));
await approvals.answer([waiting?.id ?? ""], { verdict: "approve" }, { kind: "person", id: "ada", scopes: [] });
console.log(await callRefund(500));
console.log(await callRefund(500));

// In training a simulated approver answers. Its answers are reproducible.
const till = environment({
  name: "till",
  version: "1.0.0",
  start: () => ({ paid: 0 }),
  observe: ({ paid }) => ({ paid }),
  tools: (make) => ({
    refund: make({ input: money, run: ({ amount }, call) => void (call.state.paid += Number(amount)) }),
  }),
  reward: ({ before, after }) => before.paid - after.paid,
  policies: [policy],
  approver: simulatedApprover({ seed: 1, approve: 0.5 }),
});
const episode = await till.start({ seed: 7 });
for (const amount of [200, 300, 400]) {
  const result = await till.call(episode, "refund", { amount }).then(JSON.stringify, (error: Error) => error.message);
  console.log(amount, result);
}

await Promise.all([shop.close(), till.close()]);
await store.close();

// prints:
// 200 refunded 50
// 202 APPROVAL_PENDING
// Refund 500? {"amount":500}
// 200 refunded 500
// 202 APPROVAL_PENDING
// 200 {"paid":200}
// 300 {"paid":500}
// 400 A simulated person rejected the call.
