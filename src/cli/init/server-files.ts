import type { Parts, Spelling } from "./project.ts";

/** A server: an order desk with a tool that reads and one that changes something. */
export function serverFiles(name: string, { suffix, types }: Spelling): Parts {
  const entry = `src/server.${suffix}`;
  const test = `test/server.test.${suffix}`;
  return {
    entry,
    test,
    evaluation: `--servers eval/servers.json --rows eval/rows.jsonl --agent ./eval/agent.${suffix} --scorer ./eval/scorer.${suffix} --threshold 0.9`,
    packages: ["biplane", "zod"],
    config: orderRules,
    about: `## Let a model play the eval

\`eval/agent.${suffix}\` stands in for a model. With one:

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
  description: "Look an order up by its id",
  input: z.object({ id: z.string().describe("Such as A-1") }),
  output: orderSchema,
  annotations: { readOnlyHint: true },
  run: ({ id }) => find(id),
});

const refundOrder = tool({
  name: "refund_order",
  description: "Give back some of what an order cost",
  input: z.object({ id: z.string().describe("Such as A-1"), amount: z.number().positive() }),
  output: orderSchema,
  run: ({ id, amount }) => {
    const order = find(id);
    if (order.refunded + amount > order.price) throw new Error(\`\${id} cost \${order.price}, and \${order.refunded} is given back\`);
    order.refunded += amount;
    return order;
  },
});

/** Served by \`biplane serve\`: everything a call needs, its rules included, is in biplane.yaml. */
export default server({ name: ${JSON.stringify(name)}, version: "0.1.0", tools: [getOrder, refundOrder] });

function find(id${types(": string")}) {
  const order = orders.get(id);
  if (!order) throw new Error(\`There is no order \${id}; there are \${[...orders.keys()].join(", ")}\`);
  return order;
}
`,
      [test]: `import assert from "node:assert/strict";
import { after, test } from "node:test";
import desk from "../${entry}";

after(() => desk.close());

test("an order is found by its id", async () => {
  assert.deepEqual(await desk.call("get_order", { id: "A-1" }), { id: "A-1", item: "lamp", price: 40, refunded: 0 });
});

test("what is no order is told with those there are", async () => {
  await assert.rejects(desk.call("get_order", { id: "B-9" }), /no order B-9; there are A-1, A-2/);
});

test("no more is given back than was paid", async () => {
  await desk.call("refund_order", { id: "A-1", amount: 30 });
  await assert.rejects(desk.call("refund_order", { id: "A-1", amount: 11 }), /A-1 cost 40, and 30 is given back/);
});

test("an argument that does not exist is refused", async () => {
  await assert.rejects(desk.call("get_order", { id: "A-1", verbose: true }), /verbose/);
});
`,
      "eval/rows.jsonl": rows,
      "eval/servers.json": `${JSON.stringify({ mcpServers: { [name]: { command: "biplane", args: ["serve", entry, "--stdio"] } } }, undefined, 2)}\n`,
      [`eval/agent.${suffix}`]: `${types('import type { View } from "biplane/rollout";\n\n')}/** Stands in for a model: does what the last message asks for with one call, and then says so. */
export default function agent({ messages, step }${types(": View")}) {
  if (step > 0) return "Done.";
  const request = String(messages.findLast(({ role }) => role === "user")?.content);
  const id = /[A-Z]-\\d+/.exec(request)?.[0];
  const amount = /give (\\d+) back/i.exec(request)?.[1];
  return amount === undefined
    ? { name: "get_order", input: { id } }
    : { name: "refund_order", input: { id, amount: Number(amount) } };
}
`,
      [`eval/scorer.${suffix}`]: `${types('import type { Trace } from "biplane/rollout";\n\n')}/** 1 where the right call was made, and only that one. What is right stands in the row. */
export default function scorer({ row, steps }${types(": Trace")}) {
  const expected = row.input_metadata?.dataset_info?.expected;
  const calls = steps.flatMap(({ call }) => (call ? [{ name: call.name, input: call.input }] : []));
  return JSON.stringify(calls) === JSON.stringify([expected]) ? 1 : 0;
}
`,
    },
  };
}

/** Rules about refunds, to be switched on. */
const orderRules = `
# Rules, in the order they are tried: the first that fits decides. Without any, every call is allowed.
# Take the # away, start again, and ask for a refund of 200: it waits until you say yes.
# policies:
#   - { tool: refund_order, arguments: { amount: { max: 100 } }, allow: true }
#   - { tool: refund_order, ask: "Give {arguments.amount} back for {arguments.id}?" }
# policyDefault: allow
`;

const rows = [
  { id: "look", request: "What did order A-1 cost?", expected: { name: "get_order", input: { id: "A-1" } } },
  {
    id: "small-refund",
    request: "The lamp is scratched. Give 10 back for order A-1.",
    expected: { name: "refund_order", input: { id: "A-1", amount: 10 } },
  },
  {
    id: "large-refund",
    request: "Give 80 back for order A-2.",
    expected: { name: "refund_order", input: { id: "A-2", amount: 80 } },
  },
]
  .map(({ id, request, expected }) => ({
    id,
    system_prompt: "You work at an order desk. Make the one call that is needed, then say that it is done.",
    user_prompt_template: request,
    expected,
  }))
  .map((row) => `${JSON.stringify(row)}\n`)
  .join("");
