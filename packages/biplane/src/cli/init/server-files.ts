import type { ProjectParts, SourceLanguage } from "./project.ts";
import { toolCallEval } from "./tool-call-eval.ts";

/** A server for a shop's orders: one tool reads, one changes data. */
export function serverFiles(name: string, language: SourceLanguage): ProjectParts {
  const { suffix, types } = language;
  const entry = `src/server.${suffix}`;
  const test = `test/server.test.${suffix}`;
  const evaluation = toolCallEval({ name, entry, rows, systemPrompt }, language);
  return {
    entry,
    test,
    evaluation: evaluation.evaluation,
    packages: ["biplane", "zod"],
    config: orderRules,
    about: `## Evaluate a model

\`npm run eval\` uses the scripted agent in \`eval/agent.${suffix}\`. To evaluate a model instead:

\`\`\`sh
npx biplane secrets set OPENAI_API_KEY
npx biplane rollout --servers eval/servers.json --rows eval/rows.jsonl --scorer ./eval/scorer.${suffix} --model gpt-4o-mini
\`\`\`
`,
    files: {
      [entry]: `import { server, tool } from "biplane";
import { z } from "zod";

const orders = new Map([
  ["A-1", { id: "A-1", item: "lamp", price: 40, refunded: 0 }],
  ["A-2", { id: "A-2", item: "desk", price: 240, refunded: 0 }],
]);
const orderSchema = z.object({ id: z.string(), item: z.string(), price: z.number(), refunded: z.number() });

const getOrder = tool({
  name: "get_order",
  description: "Look up an order by its id",
  input: z.object({ id: z.string().describe("An order id, such as A-1") }),
  output: orderSchema,
  annotations: { readOnlyHint: true },
  run: ({ id }) => find(id),
});

const refundOrder = tool({
  name: "refund_order",
  description: "Refund part of an order's price",
  input: z.object({ id: z.string().describe("An order id, such as A-1"), amount: z.number().positive() }),
  output: orderSchema,
  run: ({ id, amount }) => {
    const order = find(id);
    if (order.refunded + amount > order.price) {
      throw new Error(\`\${id} cost \${order.price}, and \${order.refunded} is already refunded.\`);
    }
    order.refunded += amount;
    return order;
  },
});

/** \`biplane serve\` serves this with the policies and settings in biplane.yaml. */
export default server({ name: ${JSON.stringify(name)}, version: "0.1.0", tools: [getOrder, refundOrder] });

function find(id${types(": string")}) {
  const order = orders.get(id);
  if (!order) throw new Error(\`There is no order \${id}. Orders: \${[...orders.keys()].join(", ")}.\`);
  return order;
}
`,
      [test]: `import assert from "node:assert/strict";
import { after, test } from "node:test";
import server from "../${entry}";

after(() => server.close());

test("an order is found by its id", async () => {
  assert.deepEqual(await server.call("get_order", { id: "A-1" }), { id: "A-1", item: "lamp", price: 40, refunded: 0 });
});

test("an unknown id is rejected with the known ids", async () => {
  await assert.rejects(server.call("get_order", { id: "B-9" }), /no order B-9. Orders: A-1, A-2/);
});

test("a refund cannot exceed the price", async () => {
  await server.call("refund_order", { id: "A-1", amount: 30 });
  await assert.rejects(server.call("refund_order", { id: "A-1", amount: 11 }), /A-1 cost 40, and 30 is already refunded/);
});

test("an unknown argument is rejected", async () => {
  await assert.rejects(server.call("get_order", { id: "A-1", verbose: true }), /verbose/);
});
`,
      ...evaluation.files,
      [`eval/agent.${suffix}`]: `${types('import type { AgentView } from "biplane/rollout";\n\n')}/** A scripted agent instead of a model: makes the one call that the user's message asks for. */
export default function agent({ messages, step }${types(": AgentView")}) {
  if (step > 0) return "Done.";
  const request = String(messages.findLast(({ role }) => role === "user")?.content);
  const id = /[A-Z]-\\d+/.exec(request)?.[0];
  const amount = /refund (\\d+)/i.exec(request)?.[1];
  return amount === undefined
    ? { tool: "get_order", input: { id } }
    : { tool: "refund_order", input: { id, amount: Number(amount) } };
}
`,
    },
  };
}

/** Policies to uncomment. */
const orderRules = `
# Policies. The first matching rule decides; without policies, every call is allowed.
# Uncomment these, restart, and call refund_order with an amount of 200: the call waits for your approval.
# policies:
#   - { tool: refund_order, arguments: { amount: { max: 100 } }, allow: true }
#   - { tool: refund_order, ask: "Refund {arguments.amount} for {arguments.id}?" }
# policyDefault: allow
`;

const systemPrompt = "You handle orders. Make the one call that the user asks for, then confirm it.";

const rows = [
  { id: "look", request: "What did order A-1 cost?", expected: { tool: "get_order", input: { id: "A-1" } } },
  {
    id: "small-refund",
    request: "The lamp is scratched. Refund 10 for order A-1.",
    expected: { tool: "refund_order", input: { id: "A-1", amount: 10 } },
  },
  {
    id: "large-refund",
    request: "Refund 80 for order A-2.",
    expected: { tool: "refund_order", input: { id: "A-2", amount: 80 } },
  },
];
