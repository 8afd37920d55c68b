import { allow, deny } from "../call/policy.ts";
import { prompt } from "../server/prompt.ts";
import { resource } from "../server/resource.ts";
import { server } from "../server/server.ts";
import type { Server } from "../server/server.ts";
import { form } from "../tool/question.ts";
import { tool } from "../tool/tool.ts";

/** A small shop's customer desk: something to read, something to change, and rules about who may. */
export function demoServer(): Server {
  const customers = new Map<string, Customer>([
    ["ada", { customerId: "ada", name: "Ada Lovelace", status: "active", balance: 120 }],
    ["alan", { customerId: "alan", name: "Alan Turing", status: "active", balance: 42 }],
    ["grace", { customerId: "grace", name: "Grace Hopper", status: "closed", balance: 0 }],
  ]);
  const find = (id: unknown): Customer => {
    const found = customers.get(String(id));
    if (!found) throw new Error(`There is no customer ${JSON.stringify(id)}; try ${[...customers.keys()].join(", ")}`);
    return found;
  };

  const customerId = { type: "string", description: "Such as ada" };
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
    description: "Add an amount to a customer's balance, after asking the user where that is possible",
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
          form(`Refund ${Number(amount)} to ${customer.name}?`, { type: "object", properties: {} }),
        );
        if (answer.action !== "accept") throw new Error("The user declined");
      }
      const updated = { ...customer, balance: customer.balance + Number(amount) };
      customers.set(customer.customerId, updated);
      demo.updated(`customer://${customer.customerId}`);
      return updated;
    },
  });

  const demo = server({
    name: "biplane-demo",
    version: "1.0.0",
    title: "Biplane demo",
    description: "A small customer desk. Refunds above 100 are not allowed.",
    tools: [getCustomer, listCustomers, refund],
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
        arguments: { customerId: { description: "Whom to write to", required: true } },
        get: ({ customerId: id }) => `Write a short, sincere apology to ${find(id).name} for a late delivery.`,
      }),
    ],
  });
  return demo.policy((_, toolName, input) =>
    toolName === "refund_customer" && (input as { amount: number }).amount > 100
      ? deny("Refunds above 100 need a person; this desk may not make them")
      : allow(),
  );
}

interface Customer {
  readonly customerId: string;
  readonly name: string;
  readonly status: "active" | "closed";
  readonly balance: number;
}

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
