import { environment, rules, server, tool } from "biplane";
import { openApprovals, simulatedApprover } from "biplane/admin";
import { sqliteStore } from "biplane/sqlite";

const money = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] };
const policy = rules([
  { tool: "refund", arguments: { amount: { max: 100 } }, allow: true },
  { tool: "refund", ask: "Refund {arguments.amount}?" },
]);

// In production a person decides.
const store = sqliteStore(":memory:");
const approvals = openApprovals({ store });
const refund = tool({ name: "refund", input: money, run: ({ amount }) => `refunded ${String(amount)}` });
const desk = server({ name: "desk", version: "1.0.0", tools: [refund], policies: [policy], approver: approvals });
const { url } = await desk.serve("http://127.0.0.1:0");

async function order(amount: number): Promise<string> {
  const body = JSON.stringify({ tool: "refund", arguments: { amount } });
  const response = await fetch(`${url}/mcp/execute`, { method: "POST", body });
  const { result, error } = (await response.json()) as { result?: string; error?: string };
  return `${response.status} ${result ?? error}`;
}

console.log(await order(50));
console.log(await order(500));
const [waiting] = await approvals.list({ status: "waiting" });
console.log(waiting?.question, JSON.stringify(waiting?.input));
await approvals.answer([waiting?.id ?? ""], { verdict: "approve" }, { kind: "person", id: "ada", scopes: [] });
console.log(await order(500));
console.log(await order(500));

// In training the same rule is answered by a simulated person, who says the same each time.
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
  const said = await till.call(episode, "refund", { amount }).then(JSON.stringify, (error: Error) => error.message);
  console.log(amount, said);
}

await Promise.all([desk.close(), till.close()]);
await store.close();

// prints:
// 200 refunded 50
// 202 APPROVAL_PENDING
// Refund 500? {"amount":500}
// 200 refunded 500
// 202 APPROVAL_PENDING
// 200 {"paid":200}
// 300 {"paid":500}
// 400 A person rejected the call: not this time
