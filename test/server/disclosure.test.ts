import { expect, test } from "vitest";
import { deny, form, server, tool } from "biplane";
import type { Policy } from "biplane";
import { connect } from "biplane/client";

const subjects = [
  "invoice",
  "customer",
  "shipment",
  "refund",
  "ticket",
  "product",
  "warehouse",
  "supplier",
  "contract",
  "employee",
];
const verbs = ["create", "find", "update", "archive", "export", "print", "share", "compare", "approve", "cancel"];
const places = ["here", "abroad", "online", "in_store", "by_mail", "by_phone", "in_bulk", "today", "later", "yearly"];

/** A thousand tools with names, descriptions and schemas such as people write. */
const thousand = subjects.flatMap((subject) =>
  verbs.flatMap((verb) =>
    places.map((place) =>
      tool({
        name: `${subject}_${verb}_${place}`,
        description: `Use this to ${verb} a ${subject} ${place.replaceAll("_", " ")}. Gives the ${subject} as it is afterwards.`,
        input: {
          type: "object",
          properties: {
            [`${subject}Id`]: { type: "string", description: `Which ${subject}` },
            reason: { type: "string", description: "Why, for the record" },
            notify: { type: "boolean", description: "Whether to notify everyone concerned" },
          },
          required: [`${subject}Id`],
        },
        run: (input) => ({ done: `${verb} ${subject} ${String(input[`${subject}Id`])} ${place}` }),
      }),
    ),
  ),
);

const open = async (policies: Policy[] = [], extra: Parameters<typeof server>[0]["tools"] = []) => {
  const gateway = server({
    name: "big",
    version: "1",
    tools: [...thousand, ...(extra as [])],
    disclose: { always: ["customer_find_here"] },
    policies,
    limits: false,
  });
  return { gateway, client: await connect(gateway) };
};

test("the model reads a hundredth of a thousand tools", async () => {
  const { client } = await open();
  const listed = await client.listTools();
  expect(listed.map(({ name }) => name)).toEqual([
    "customer_find_here",
    "search_tools",
    "get_tool_schema",
    "call_tool",
  ]);
  await using all = await connect(server({ name: "big", version: "1", tools: thousand }));
  const whole = JSON.stringify(await all.listTools()).length;
  expect(JSON.stringify(listed).length).toBeLessThan(whole / 100);
  await client.close();
});

test("what is not listed can be found, looked at and called", async () => {
  const { client } = await open();
  const found = await client.callTool("search_tools", { query: "cancel a shipment by mail" });
  const [first] = (found.structuredContent as { tools: { name: string }[] }).tools;
  expect(first?.name).toBe("shipment_cancel_by_mail");
  const schema = await client.callTool("get_tool_schema", { name: first?.name });
  expect(schema.structuredContent).toMatchObject({ inputSchema: { required: ["shipmentId"] } });
  const done = await client.callTool("call_tool", { name: first?.name, arguments: { shipmentId: "s1" } });
  expect(done.structuredContent).toEqual({ done: "cancel shipment s1 by_mail" });
  await client.close();
});

test("policies, hooks and audit see the tool that is really called", async () => {
  const seen: unknown[] = [];
  const noRefunds: Policy = (_, toolName, input) => {
    seen.push([toolName, input]);
    return toolName.startsWith("refund_") ? deny("no refunds") : { verdict: "allow" };
  };
  const { gateway, client } = await open([noRefunds]);
  gateway.watch({ onStart: ({ tool: name }) => seen.push(name) });
  const call = (name: string, input: object) => client.callTool("call_tool", { name, arguments: input });
  expect(await call("refund_create_here", { refundId: "1" })).toMatchObject({
    isError: true,
    content: [{ text: "Error: no refunds" }],
  });
  expect(seen).toEqual(["refund_create_here", ["refund_create_here", { refundId: "1" }]]);
  expect(await call("ticket_find_here", { ticketId: 5 })).toMatchObject({ isError: true });
  await expect(call("nowhere", {})).rejects.toThrow("Unknown tool: nowhere");
  expect(await call("call_tool", { name: "call_tool" })).toMatchObject({ isError: true });
  await client.close();
});

test("a tool found so may ask its questions", async () => {
  const asking = tool({
    name: "asking",
    interactive: true,
    run: async (_, call) => (await call.ask("q", form("Sure?", { type: "object", properties: {} }))).action,
  });
  const { gateway, client } = await open([], [asking]);
  await client.close();
  for (const era of ["modern", "legacy"] as const) {
    await using other = await connect(gateway, { era, answers: { form: () => ({ action: "accept" }) } });
    expect(await other.callTool("call_tool", { name: "asking" })).toMatchObject({ content: [{ text: "accept" }] });
  }
});
