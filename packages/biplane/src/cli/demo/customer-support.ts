import { allow, ask, deny, form, prompt, resource, server, tool } from "@biplane/core";
import type { Policy, Server } from "@biplane/core";
import { tableApp } from "@biplane/core/apps/builtin";

/** Customer support tools of a small shop: tools that read, one that changes data, and a policy for refunds. */
export function customerSupport(): Server {
  const customers = new Map<string, Customer>([
    ["ada", { customerId: "ada", name: "Ada Lovelace", status: "active", balance: 120 }],
    ["alan", { customerId: "alan", name: "Alan Turing", status: "active", balance: 42 }],
    ["grace", { customerId: "grace", name: "Grace Hopper", status: "closed", balance: 0 }],
  ]);
  const find = (id: unknown): Customer => {
    const found = customers.get(String(id));
    if (!found)
      throw new Error(`There is no customer ${JSON.stringify(id)}. Customers: ${[...customers.keys()].join(", ")}.`);
    return found;
  };

  const customerId = { type: "string", description: "A customer id, such as ada" };
  const getCustomer = tool({
    name: "get_customer",
    description: "Look a customer up by id",
    input: { type: "object", properties: { customerId }, required: ["customerId"] },
    output: customerSchema,
    idempotent: true,
    annotations: { readOnlyHint: true },
    run: (input) => find(input["customerId"]),
  });
  const listCustomers = tool({
    name: "list_customers",
    description: "List all customers",
    idempotent: true,
    annotations: { readOnlyHint: true },
    run: () => ({ customers: [...customers.values()] }),
  });
  const refund = tool({
    name: "refund_customer",
    description: "Add an amount to a customer's balance; asks the user to confirm if the client supports it",
    input: {
      type: "object",
      properties: { customerId, amount: { type: "number", exclusiveMinimum: 0 } },
      required: ["customerId", "amount"],
    },
    output: customerSchema,
    interactive: true,
    run: async ({ customerId: id, amount }, call) => {
      const customer = find(id);
      if (call.canAsk("form")) {
        const answer = await call.ask(
          "sure",
          form(`Refund ${amount} to ${customer.name}?`, { type: "object", properties: {} }),
        );
        if (answer.action !== "accept") throw new Error("The user declined the refund.");
      }
      const updated = { ...customer, balance: customer.balance + amount };
      customers.set(customer.customerId, updated);
      demo.updated(`customer://${customer.customerId}`);
      return updated;
    },
  });

  const ordersByMonth = tool({
    name: "orders_by_month",
    ui: tableApp(),
    description: "Orders and revenue for each month of a year",
    input: { type: "object", properties: { year: { type: "integer", minimum: 2020, maximum: 2026, default: 2026 } } },
    output: tableSchema,
    idempotent: true,
    annotations: { readOnlyHint: true },
    run: ({ year = 2026 }) => ordersIn(year),
  });

  const demo = server({
    name: "biplane-demo",
    version: "1.0.0",
    title: "Biplane demo",
    description: "Customer support tools. Refunds above 100 need approval; refunds above 1000 are denied.",
    tools: [getCustomer, listCustomers, refund, ordersByMonth],
    resources: [
      resource({
        name: "customer",
        uri: "customer://{customerId}",
        description: "A customer's record",
        mimeType: "application/json",
        read: ({ customerId: id }) => JSON.stringify(find(id), undefined, 2),
        complete: { customerId: (typed) => [...customers.keys()].filter((id) => id.startsWith(typed)) },
      }),
    ],
    prompts: [
      prompt({
        name: "apologize",
        description: "Draft an apology to a customer",
        arguments: { customerId: { description: "The customer to write to", required: true } },
        get: ({ customerId: id }) => `Write a short, sincere apology to ${find(id).name} for a late delivery.`,
      }),
    ],
  });
  return demo.policy(refundRule);
}

/** Allows refunds up to 100, asks up to 1000, denies above. */
const refundRule: Policy = (_, toolName, input) => {
  if (toolName !== "refund_customer") return allow();
  const { amount, customerId } = input as { amount: number; customerId: string };
  if (amount > 1000) return deny("Refunds above 1000 are not allowed.");
  return amount > 100 ? ask(`Refund ${amount} to ${customerId}?`) : allow();
};

interface Customer {
  readonly customerId: string;
  readonly name: string;
  readonly status: "active" | "closed";
  readonly balance: number;
}

/** Deterministic sample data. */
function ordersIn(year: number): object {
  const rows = months.map((month, at) => {
    const orders = 90 + ((year * 37 + at * 53) % 60) + at * 4;
    return { month, orders, revenue: orders * (28 + ((year + at * 7) % 9)) };
  });
  return { columns: ["month", "orders", "revenue"], rows };
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const tableSchema = {
  type: "object",
  properties: {
    columns: { type: "array", items: { type: "string" } },
    rows: { type: "array", items: { type: "object" } },
  },
  required: ["columns", "rows"],
};

const customerSchema = {
  type: "object",
  properties: {
    customerId: { type: "string" },
    name: { type: "string" },
    status: { enum: ["active", "closed"] },
    balance: { type: "number" },
  },
  required: ["customerId", "name", "status", "balance"],
};
