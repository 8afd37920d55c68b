import { BiplaneError, allow, ask, server, tool } from "biplane";
import type { Policy, Server } from "biplane";
import { Chance } from "./chance.ts";
import { takes } from "./clock.ts";

/** The servers of an online shop for outdoor gear. Their tools take as long as real ones would. */
export function shopServers(): readonly Server[] {
  const chance = new Chance(7);
  const work = (least: number, most: number) => takes(chance.between(least, most));
  return [
    server({
      name: "orders",
      version: "2.4.0",
      description: "Orders of the shop: find, read, refund and cancel them.",
      policies: [largeRefunds],
      tools: [
        tool({
          name: "order_search",
          description: "Find orders of a customer, newest first",
          annotations: { readOnlyHint: true },
          input: {
            type: "object",
            properties: { customer: { type: "string" }, status: { enum: ["open", "shipped", "returned"] } },
            required: ["customer"],
          },
          run: async ({ customer }) => {
            await work(18, 90);
            return { orders: ordersOf(customer) };
          },
        }),
        tool({
          name: "order_get",
          description: "Read an order with its items, payments and shipments",
          annotations: { readOnlyHint: true },
          input: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
          run: async ({ order }) => {
            await work(12, 60);
            const found = orderOf(order);
            if (!found) throw new BiplaneError("EXECUTION_ERROR", `There is no order ${order}.`);
            return found;
          },
        }),
        tool({
          name: "order_refund",
          description: "Refund an order, completely or in part",
          annotations: { destructiveHint: true },
          input: {
            type: "object",
            properties: {
              order: { type: "string" },
              amount: { type: "number", description: "In euros" },
              reason: { type: "string" },
            },
            required: ["order", "amount"],
          },
          run: async ({ order, amount }) => {
            await work(240, 900);
            return { order, refunded: amount, reference: `RF-${order.slice(2)}-${Math.round(amount * 100)}` };
          },
        }),
        tool({
          name: "order_cancel",
          description: "Cancel an order that has not been shipped",
          annotations: { destructiveHint: true },
          input: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
          run: async ({ order }) => {
            await work(150, 500);
            return { order, status: "cancelled" };
          },
        }),
      ],
    }),
    server({
      name: "customers",
      version: "1.9.2",
      description: "Accounts of customers.",
      tools: [
        tool({
          name: "customer_get",
          description: "Read a customer's account",
          annotations: { readOnlyHint: true },
          input: { type: "object", properties: { customer: { type: "string" } }, required: ["customer"] },
          run: async ({ customer }) => {
            await work(9, 40);
            return { customer, name: nameOf(customer), since: "2023-04-18", orders: 7, note: "Prefers e-mail" };
          },
        }),
        tool({
          name: "customer_delete",
          description: "Delete an account with everything in it",
          annotations: { destructiveHint: true },
          input: { type: "object", properties: { customer: { type: "string" } }, required: ["customer"] },
          run: ({ customer }) => ({ customer, status: "deleted" }),
        }),
      ],
    }),
    server({
      name: "mail",
      version: "1.2.0",
      description: "Letters to customers.",
      policies: [letters],
      tools: [
        tool({
          name: "mail_send",
          description: "Send an e-mail to a customer",
          annotations: { destructiveHint: false },
          input: {
            type: "object",
            properties: { to: { type: "string" }, subject: { type: "string" }, text: { type: "string" } },
            required: ["to", "subject", "text"],
          },
          run: async ({ to }) => {
            await work(300, 1400);
            if (to.endsWith(".invalid")) throw new BiplaneError("EXECUTION_ERROR", `The address ${to} does not exist.`);
            return { sent: true, message: `msg-${to.length}${to.charCodeAt(0)}` };
          },
        }),
      ],
    }),
    server({
      name: "stock",
      version: "3.0.1",
      description: "What is in the warehouses.",
      tools: [
        tool({
          name: "stock_check",
          description: "Number of pieces of an article, by warehouse",
          annotations: { readOnlyHint: true },
          input: { type: "object", properties: { article: { type: "string" } }, required: ["article"] },
          run: async ({ article }) => {
            await work(6, 30);
            return { article, warehouses: { Graz: article.length % 9, Utrecht: (article.length * 7) % 40 } };
          },
        }),
      ],
    }),
  ];
}

const largeRefunds: Policy = (_, name, input) => {
  const { order, amount } = input as { order?: string; amount?: number };
  if (name !== "order_refund" || (amount ?? 0) <= 100) return allow();
  return ask(`Refund ${priceOf(amount ?? 0)} € for order ${order}?`, { rule: "large-refunds" });
};

/** `129` or `349.50`. */
function priceOf(euros: number): string {
  return Number.isInteger(euros) ? String(euros) : euros.toFixed(2);
}

const letters: Policy = (_, name, input) => {
  const { to, subject } = input as { to?: string; subject?: string };
  return name === "mail_send" ? ask(`Send “${subject}” to ${to}?`, { rule: "letters" }) : allow();
};

export const customers = ["C-1042", "C-1077", "C-1103", "C-1168", "C-1190", "C-1204", "C-1288", "C-1311"];
export const articles = ["tent-alpine-2", "stove-titan", "rope-60m", "boots-ridge-43", "lamp-head-400"];

export function nameOf(customer: string): string {
  const names = [
    "Mara Lind",
    "Jonas Weber",
    "Aisha Khan",
    "Tomás Ruiz",
    "Ines Moreau",
    "Karl Novak",
    "Lea Roth",
    "Omar Aziz",
  ];
  return names[customers.indexOf(customer)] ?? "Unknown";
}

/** Each customer has three orders. */
export function orderIds(customer: string): readonly string[] {
  const at = Number(customer.slice(2));
  return [0, 1, 2].map((number) => `O-${at * 3 + number}`);
}

function ordersOf(customer: string) {
  return orderIds(customer).map((order, at) => ({ order, total: totalOf(order), status: statuses[at] }));
}

function orderOf(order: string) {
  const at = Number(order.slice(2));
  const customer = customers.find((each) => orderIds(each).includes(order));
  if (customer === undefined) return undefined;
  const items = [{ article: articles[at % articles.length], pieces: 1 + (at % 2), price: totalOf(order) }];
  return { order, customer, total: totalOf(order), status: statuses[at % 3], items };
}

const statuses = ["open", "shipped", "returned"];

/** In euros. */
export function totalOf(order: string): number {
  const at = Number(order.slice(2));
  return Math.round((19 + ((at * 37) % 420) + (at % 4) * 0.25) * 100) / 100;
}
