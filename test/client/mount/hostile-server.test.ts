import { expect, test } from "vitest";
import { server } from "biplane";
import { remoteServer } from "../../../packages/core/src/client/mount/remote-server.ts";
import { upstream } from "../../security/upstream.ts";
import type { Message } from "../../security/upstream.ts";

const anything = { type: "object" };
const isCall = ({ method }: Message) => method === "tools/call";

test("a pattern in a question of a mounted server is not matched, because that may never end", async () => {
  await using there = await upstream({ lists: { tools: [{ name: "ask", inputSchema: anything }] } });
  await using remote = await remoteServer(there.url, { era: "legacy" });
  const gateway = server({ name: "gateway" }).mount("there", remote);
  const answer = { action: "accept", content: { name: "ada" } };
  const peer = {
    canAsk: () => true,
    ask: (questions: Readonly<Record<string, unknown>>) =>
      Promise.resolve(Object.fromEntries(Object.keys(questions).map((key) => [key, answer]))),
  };
  const result = gateway.call("ask", {}, { peer });
  const { id } = await there.hears(isCall);
  const name = { type: "string", pattern: "^b$" };
  there.say({
    id: "q",
    method: "elicitation/create",
    params: { message: "Who?", requestedSchema: { type: "object", properties: { name } } },
  });
  expect(await there.hears((message) => message["id"] === "q")).toMatchObject({ result: answer });
  there.say({ id, result: { content: [{ type: "text", text: "Thank you" }] } });
  await expect(result).resolves.toBeDefined();
});

test.each([
  ["many", Array.from({ length: 60_000 }, () => 0), "has more than 50000 items and keys"],
  ["deep", JSON.parse(`${"[".repeat(200)}${"]".repeat(200)}`) as unknown, "is nested deeper than 128 levels"],
])("a result with too much in it fails its call at once: %s", async (_, structuredContent, why) => {
  const answer = ({ method }: Message) => (method === "tools/call" ? { content: [], structuredContent } : undefined);
  await using there = await upstream({ lists: { tools: [{ name: "act", inputSchema: anything }] }, answer });
  await using remote = await remoteServer(there.url, { era: "legacy" });
  const gateway = server({ name: "gateway" }).mount("there", remote);
  await expect(gateway.call("act", {})).rejects.toThrow(why);
});

test("a schema of a mounted server that is made to be slow neither delays its calls nor refuses them", async () => {
  const long = "x".repeat(100_000);
  const fields = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`p${at}`, { type: "string" }]));
  const schemas = {
    long_names: { type: "object", properties: { [long]: { type: "object", properties: fields } } },
    many: { type: "object", properties: Object.fromEntries(Array.from({ length: 9000 }, (_, at) => [`p${at}`, {}])) },
    pattern: { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } },
  };
  const tools = Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema }));
  const answer = ({ method }: Message) => (method === "tools/call" ? { content: [] } : undefined);
  await using there = await upstream({ lists: { tools }, answer });
  await using remote = await remoteServer(there.url, { era: "legacy" });
  const gateway = server({ name: "gateway" }).mount("there", remote);
  for (const name of Object.keys(schemas))
    await expect(gateway.call(name, { a: `${"a".repeat(50)}!` })).resolves.toBeDefined();
});

test("a value that takes too long to check against a mounted server's schema is refused", async () => {
  const each = { enum: Array.from({ length: 2000 }, (_, at) => ({ at })) };
  const inputSchema = { type: "object", properties: { list: { type: "array", items: each } } };
  await using there = await upstream({ lists: { tools: [{ name: "act", inputSchema }] } });
  await using remote = await remoteServer(there.url, { era: "legacy" });
  const gateway = server({ name: "gateway" }).mount("there", remote);
  const list = Array.from({ length: 10_000 }, () => ({ at: 1999 }));
  await expect(gateway.call("act", { list })).rejects.toThrow("takes too long to be checked against this schema");
});
