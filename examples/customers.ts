import { allow, deny, server, tool } from "biplane";
import { z } from "zod";

const customers = new Map([["c-1", { customerId: "c-1", status: "active" as const }]]);

const getCustomer = tool({
  name: "get_customer",
  description: "Look a customer up by id",
  input: z.object({ customerId: z.string() }),
  output: z.object({ customerId: z.string(), status: z.enum(["active", "closed"]) }),
  run: ({ customerId }) => {
    const customer = customers.get(customerId);
    if (!customer) throw new Error(`There is no customer ${customerId}`);
    return customer;
  },
});

const customerServer = server({ name: "customers", tools: [getCustomer] });
customerServer.policy((agent) => (agent.agentId === "intern" ? deny("Interns may not look customers up") : allow()));

const { url } = await customerServer.serve("http://127.0.0.1:0");
const execute = async (body: object) => {
  const response = await fetch(`${url}/mcp/execute`, { method: "POST", body: JSON.stringify(body) });
  const { request_id: _, ...answer } = (await response.json()) as Record<string, unknown>;
  console.log(response.status, JSON.stringify(answer));
};

await execute({ tool: "get_customer", arguments: { customerId: "c-1" } });
await execute({ tool: "get_customer", arguments: { id: "c-1" } });
await execute({ tool: "get_customer", arguments: { customerId: "c-1" }, agent: { agent_id: "intern" } });
await customerServer.close();

// prints:
// 200 {"result":{"customerId":"c-1","status":"active"}}
// 400 {"error":"INVALID_INPUT","message":"Invalid arguments for get_customer: has unknown property 'id'"}
// 403 {"error":"POLICY_DENIED","message":"Interns may not look customers up"}
