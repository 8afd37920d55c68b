import { form, server, tool } from "biplane";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const order = tool({
  name: "order_pizza",
  description: "Order a pizza",
  interactive: true,
  run: async (_, call) => {
    const answer = await call.ask(
      "topping",
      form("Which topping?", { type: "object", properties: { topping: { type: "string" } } }),
    );
    return answer.action === "accept" ? `One ${String(answer.content?.["topping"])} pizza` : "No pizza";
  },
});

const pizzeria = server({ name: "pizzeria", version: "1.0.0", tools: [order] });
const { url } = await pizzeria.serve("http://127.0.0.1:0");

// The same tool works with both protocol versions: one asks over an open stream, the other in a second request.
for (const mode of ["legacy", "auto"] as const) {
  const client = new Client(
    { name: "hungry", version: "1" },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode } },
  );
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { topping: "mushroom" } }));
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  const { content } = await client.callTool({ name: "order_pizza", arguments: {} });
  console.log(client.getProtocolEra(), JSON.stringify(content));
  await client.close();
}
await pizzeria.close();

// prints:
// legacy [{"type":"text","text":"One mushroom pizza"}]
// modern [{"type":"text","text":"One mushroom pizza"}]
