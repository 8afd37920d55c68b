import { describe, expect, test } from "vitest";
import { allow, deny, server, tool } from "biplane";
import type { Server } from "biplane";

/** A tool for each reserved error code. */
function customers(): Server {
  const gateway = server({
    name: "customer-mcp",
    tools: {
      get_customer: tool({
        input: { type: "object", properties: { customer_id: { type: "string" } }, required: ["customer_id"] },
        run: () => ({ status: "active" }),
      }),
      delete_customer: tool({ run: () => "deleted" }),
      break_customer: tool({
        run: () => {
          throw new Error("It broke");
        },
      }),
      slow_customer: tool({ timeoutMs: 20, run: () => new Promise(() => undefined) }),
      busy_customer: tool({
        timeoutMs: 20,
        run: () => {
          const end = performance.now() + 60;
          while (performance.now() < end);
          return "late";
        },
      }),
    },
  });
  return gateway.policy((_agent, name) => (name === "delete_customer" ? deny("Blocked in prod") : allow()));
}

const codes: [code: string, tool: string, input: object][] = [
  ["INVALID_INPUT", "get_customer", {}],
  ["POLICY_DENIED", "delete_customer", {}],
  ["EXECUTION_ERROR", "break_customer", {}],
  ["TIMEOUT", "slow_customer", {}],
];

describe.each(["http", "ws"] as const)("over %s", (transport) => {
  test.each(codes)("%s reaches the program that mounted the server", async (code, name, input) => {
    await using gateway = customers();
    const { url } = await gateway.serve(`${transport}://127.0.0.1:0`);
    await using front = server({ name: "front" });
    await front.mount("customers", `${url}/mcp`);
    await expect(front.call(name, input)).rejects.toMatchObject({ code });
  });

  test("TOOL_NOT_FOUND reaches the program that mounted the server", async () => {
    await using gateway = customers();
    const { url } = await gateway.serve(`${transport}://127.0.0.1:0`);
    await using front = server({ name: "front" });
    await front.mount("customers", `${url}/mcp`);
    for (const each of gateway.tools) if (each.name === "break_customer") gateway.remove(each);
    await expect(front.call("break_customer")).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
  });
});

test("a tool that computes for longer than its time limit fails with TIMEOUT", async () => {
  await expect(customers().call("busy_customer")).rejects.toMatchObject({ code: "TIMEOUT" });
});
