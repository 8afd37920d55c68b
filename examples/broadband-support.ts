import { rules } from "biplane";
import { connect } from "biplane/client";
import { broadbandServer, broadbandSupport } from "biplane/gallery";
import { openApprovals, simulatedApprover } from "biplane/governance";
import { openStore } from "biplane/store";

// One set of rules for both: a refund above 50 euros waits for a person.
const policy = rules([
  { tool: "invoice_refund", arguments: { amount: { max: 50 } }, allow: true },
  { tool: "invoice_refund", ask: "Refund {arguments.amount} of {arguments.invoice_id}?" },
  { tool: "*", allow: true },
]);
const refund = { invoice_id: "I-3122", amount: 79, reason: "cancelled_order" };

// Production: an MCP host works on the shared database, and the refund waits.
const store = await openStore(":memory:");
const approvals = openApprovals({ store });
const production = broadbandServer({ policies: [policy], approver: approvals });
const { url } = await production.serve("http://127.0.0.1:0");
const host = await connect(`${url}/mcp`, { tasks: false });
const refundInProduction = async () => {
  const { isError, structuredContent } = await host.callTool("invoice_refund", refund);
  return isError ? "a person must approve" : structuredContent;
};
console.log("production:", await refundInProduction());

// Meanwhile the benchmark plays the same case in an episode. A simulated person answers there.
const benchmark = broadbandSupport();
benchmark.policy(policy).govern({ approver: simulatedApprover({ seed: 1 }) });
const episode = await benchmark.start({ config: { task_id: "cancelled-order-charged" } });
const say = async (message: string) => {
  const answer = await benchmark.call(episode, "message_customer", { message });
  console.log(`agent: ${message}\ncustomer: ${String(answer)}`);
};
await say("May I have your customer number, your postcode and your date of birth?");
await benchmark.call(episode, "customer_verify", {
  customer_id: "C-1012",
  postcode: "41871",
  birth_date: "1979-04-17",
});
await say("Thank you. Which order was it?");
await benchmark.call(episode, "order_get", { order_id: "O-5004" });
await benchmark.call(episode, "invoice_get", { invoice_id: "I-3122" });
await benchmark.call(episode, "invoice_refund", refund);
await say("I have refunded 79 euros. Is there anything else?");
await benchmark.call(episode, "contact_close", { customer_id: "C-1012", outcome: "solved" });
console.log("benchmark: reward", episode.totalReward);

// The refund in production still waits, until a person approves it.
const [waiting] = await approvals.list({ status: "waiting" });
console.log("waiting:", waiting?.question);
await approvals.answer([waiting?.id ?? ""], { verdict: "approve" }, { kind: "person", id: "ada", scopes: [] });
console.log("production:", await refundInProduction());

await host.close();
await Promise.all([production.close(), benchmark.close()]);
await store.close();

// prints:
// production: a person must approve
// agent: May I have your customer number, your postcode and your date of birth?
// customer: Number C-1012. Postcode 41871. Born on 17 April 1979.
// agent: Thank you. Which order was it?
// customer: The order is O-5004.
// agent: I have refunded 79 euros. Is there anything else?
// customer: No, that is all. Thank you, and goodbye.
// benchmark: reward 1
// waiting: Refund 79 of "I-3122"?
// production: { invoice_id: 'I-3122', refunded: 79 }
