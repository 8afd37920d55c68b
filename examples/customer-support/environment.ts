import { isDeepStrictEqual } from "node:util";
import { environment, resource } from "biplane";
import { z } from "zod";
import { ordersOf } from "./shop.ts";
import type { Order } from "./shop.ts";
import { goal, policy, readTasks } from "./tasks.ts";

interface State {
  customer: string;
  message: string;
  orders: Order[];
  refunds: Record<string, number>;
  cancelled: string[];
  reply: { message: string; resolution: string } | null;
  /** Only the rubric reads it: `observe` and the tools never show it. */
  goal: z.infer<typeof goal>;
}

const order = z.object({ order: z.string().describe("An order's id, such as A-100") });
const readOnly = { readOnlyHint: true };

export default environment({
  name: "customer-support",
  version: "1.0.0",
  description: "Answer a customer's ticket as the shop's policy says",
  config: z.object({
    customer: z.string().default("ada"),
    message: z.string().default("Please cancel order A-100."),
    goal: goal.prefault({ resolution: "solved", cancelled: ["A-100"] }),
  }),
  start: ({ config: { customer, message, goal } }): State => ({
    customer,
    message,
    orders: ordersOf(customer),
    refunds: {},
    cancelled: [],
    reply: null,
    goal,
  }),
  observe: ({ customer, message, reply }) => ({ customer, message, ticket: reply ? "closed" : "open" }),
  resources: [
    resource({
      name: "policy",
      uri: "support://policy",
      description: "How tickets are answered",
      mimeType: "text/markdown",
      read: () => policy,
    }),
  ],
  tools: (tool) => ({
    order_list: tool({
      description: "List the customer's orders",
      annotations: readOnly,
      run: (_, { state }) => ({ orders: state.orders.map(({ id, item, status }) => ({ id, item, status })) }),
    }),
    order_get: tool({
      description: "Get one of the customer's orders",
      input: order,
      annotations: readOnly,
      run: ({ order: id }, { state }) => find(state, id),
    }),
    refund_create: tool({
      description: "Pay money back for a delivered order",
      input: order.extend({ amount: z.number().positive() }),
      annotations: { destructiveHint: true },
      run: ({ order: id, amount }, { state }) => {
        const found = find(state, id);
        if (found.status !== "delivered")
          throw new Error(`${id} is ${found.status}. Only delivered orders have refunds.`);
        if (found.refunded + amount > found.price) throw new Error(`${id} cost ${found.price}. ${amount} is too much.`);
        found.refunded += amount;
        state.refunds[id] = (state.refunds[id] ?? 0) + amount;
        return found;
      },
    }),
    order_cancel: tool({
      description: "Cancel an order that is processing, and pay it back",
      input: order,
      annotations: { destructiveHint: true },
      run: ({ order: id }, { state }) => {
        const found = find(state, id);
        if (found.status !== "processing") throw new Error(`${id} is ${found.status}. It cannot be cancelled.`);
        found.status = "cancelled";
        state.cancelled.push(id);
        return found;
      },
    }),
    ticket_reply: tool({
      description: "Answer the customer and close the ticket",
      input: z.object({ message: z.string().min(1), resolution: z.enum(["solved", "declined", "escalated"]) }),
      run: (reply, { state }) => void (state.reply = reply),
    }),
  }),
  rubric: {
    // A wrong ending costs more than the other parts can earn, so that only solved tickets end above 0.
    solved: { score: ({ after }) => (after.reply ? (isSolved(after) ? 1 : -1) : 0) },
    overpaid: { weight: -1, score: ({ before, after }) => (overpaid(after) > overpaid(before) ? 1 : 0) },
    clear: { weight: 0.2, score: ({ after }) => (namesItsOrders(after) ? 1 : 0) },
    calls: { weight: -0.01, score: () => 1 },
  },
  status: ({ reply }, { stepCount }) => ({ terminated: reply !== null, truncated: stepCount >= 12 }),
  tasks: { train: () => readTasks("train"), test: () => readTasks("test") },
});

function find({ orders }: State, id: string): Order {
  const found = orders.find((each) => each.id === id);
  if (!found) throw new Error(`This customer has no order ${id}.`);
  return found;
}

function isSolved({ reply, refunds, cancelled, goal }: State): boolean {
  const done = { resolution: reply?.resolution, refunds, cancelled: cancelled.toSorted() };
  return isDeepStrictEqual(done, goal);
}

/** How much was paid back beyond the goal. */
function overpaid({ refunds, goal }: State): number {
  const beyond = Object.entries(refunds).map(([id, paid]) => Math.max(0, paid - (goal.refunds[id] ?? 0)));
  return beyond.reduce((sum, each) => sum + each, 0);
}

/** Whether the reply names every order that the customer named or that was changed. */
function namesItsOrders({ reply, message, refunds, cancelled }: State): boolean {
  const ids = [...(message.match(/[A-Z]-\d+/g) ?? []), ...Object.keys(refunds), ...cancelled];
  return reply !== null && ids.every((id) => reply.message.includes(id));
}
