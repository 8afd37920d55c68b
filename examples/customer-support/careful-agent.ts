import { scriptedAgent } from "biplane/rollout";
import type { Order } from "./shop.ts";

/** Follows the policy for the first order that the ticket names. It looks at no other, and knows no questions. */
export default scriptedAgent(
  ({ messages, observation, step }) => {
    const ticket = JSON.stringify(messages.find(({ role }) => role === "user"));
    const [order] = /[A-Z]-\d+/.exec(ticket) ?? [];
    if (order === undefined) return reply("Which order is it?", "declined");
    if (step === 0) return { tool: "order_get", input: { order } };
    if (step > 1) return reply(`Done: ${order}.`, "solved");

    const found = observation as Order | { error: string };
    if ("error" in found) return reply(`We cannot find ${order} among your orders.`, "declined");
    const { status, price, deliveredDaysAgo, refunded } = found;
    if (status === "processing") return { tool: "order_cancel", input: { order } };
    const isOpen = deliveredDaysAgo !== null && deliveredDaysAgo < 30 && refunded === 0;
    if (!isOpen) return reply(`We cannot refund ${order}.`, "declined");
    const amount = /late/.test(ticket) ? price / 10 : price;
    if (amount > 200) return reply(`A colleague takes over for ${order}.`, "escalated");
    return { tool: "refund_create", input: { order, amount } };
  },
  { name: "careful" },
);

function reply(message: string, resolution: "solved" | "declined" | "escalated") {
  return { tool: "ticket_reply", input: { message, resolution } };
}
