import { serverOf } from "@biplane/core/internal";
import { expect, test } from "vitest";
import { deny, rules, server, tool } from "biplane";
import type { Principal, Question } from "biplane";
import { connect } from "biplane/client";
import { remoteServer } from "../../packages/core/src/client/mount/remote-server.ts";
import { upstream } from "./upstream.ts";
import type { Message } from "./upstream.ts";

const ann: Principal = { kind: "token", id: "ann", scopes: [] };
const bob: Principal = { kind: "token", id: "bob", scopes: [] };
const tools = ["for_ann", "for_bob"].map((name) => ({ name, inputSchema: { type: "object" } }));

/** The end of a caller whose answers come with the next attempt, as in the newer era. */
function caller() {
  const asked: Question[] = [];
  const logged: unknown[] = [];
  const peer = {
    canAsk: () => true,
    ask: (questions: Readonly<Record<string, Question>>) => {
      asked.push(...Object.values(questions));
      return undefined;
    },
    log: (_: string, data: unknown) => void logged.push(data),
  };
  return { asked, logged, peer };
}

const isCallOf = (name: string) => (message: Message) =>
  message["method"] === "tools/call" && (message["params"] as Message)["name"] === name;

const elicitation = (id: string, message: string) => ({
  id,
  method: "elicitation/create",
  params: { message, requestedSchema: { type: "object", properties: { pin: { type: "string" } } } },
});

test("a question of a mounted server to one caller never reaches another", async () => {
  await using there = await upstream({ lists: { tools } });
  await using remote = await remoteServer(there.url, { era: "legacy" });
  const gateway = server({ name: "gateway", version: "1", limits: false }).mount("there", remote);
  const [anns, bobs] = [caller(), caller()];

  const first = gateway.call("for_ann", {}, { principal: ann, peer: anns.peer });
  await there.hears(isCallOf("for_ann"));
  there.say(elicitation("q1", "Ann, your PIN?"));
  await expect(first).rejects.toThrow("asked a question");

  const stop = new AbortController();
  const second = gateway.call("for_bob", {}, { principal: bob, peer: bobs.peer, signal: stop.signal });
  await there.hears(isCallOf("for_bob"));
  there.say(elicitation("q2", "Ann, your other PIN?"));
  const said = await Promise.race([
    there.hears(({ id }) => id === "q2"),
    second.then(
      () => undefined,
      () => undefined,
    ),
  ]);
  expect(bobs.asked).toEqual([]);
  expect(said).toMatchObject({ id: "q2", error: {} });
  stop.abort();
  await second.catch(() => undefined);
});

test("what a mounted server logs while it works for two callers is sent to neither", async () => {
  await using there = await upstream({ lists: { tools } });
  await using remote = await remoteServer(there.url, { era: "legacy" });
  const gateway = server({ name: "gateway", version: "1", limits: false }).mount("there", remote);
  const [anns, bobs] = [caller(), caller()];
  const log = (data: string) => there.say({ method: "notifications/message", params: { level: "error", data } });
  const finish = async (name: string) => {
    const { id } = await there.hears(isCallOf(name));
    there.say({ id, result: { content: [] } });
  };

  const first = gateway.call("for_ann", {}, { principal: ann, peer: anns.peer });
  await there.hears(isCallOf("for_ann"));
  log("begun for Ann");
  await expect.poll(() => anns.logged).toEqual(["begun for Ann"]);
  const second = gateway.call("for_bob", {}, { principal: bob, peer: bobs.peer });
  await there.hears(isCallOf("for_bob"));
  log("Ann's balance is 5");
  await finish("for_ann");
  await first;
  await finish("for_bob");
  await second;
  expect(bobs.logged).toEqual([]);
  expect(anns.logged).toEqual(["begun for Ann"]);
});

test("a mounted server's templates cannot make a look for a resource take for ever", async () => {
  const holes = Array.from({ length: 12 }, (_, at) => `{+v${at}}`).join("");
  const resourceTemplates = [{ uriTemplate: `trap:${holes}!`, name: "trap" }];
  await using there = await upstream({ lists: { resourceTemplates } });
  await using remote = await remoteServer(there.url, { era: "legacy" });
  const gateway = server({ name: "gateway", version: "1", limits: false }).mount("there", remote);
  expect(serverOf(gateway).findResource(`trap:${"a".repeat(600)}`)).toBeUndefined();
  expect(serverOf(gateway).findResource(`trap:${"a".repeat(600)}!`)).toBeDefined();
});

test("a mounted server cannot keep a caller waiting for ever by turning the call into a task", async () => {
  const job = tool({ name: "job", task: "optional", timeoutMs: 600_000, run: () => new Promise(() => undefined) });
  await using there = server({ name: "there", version: "1", tools: [job], limits: false });
  const { url } = await there.serve({ url: "http://127.0.0.1:0", graceMs: 1 });
  await using gateway = server({ name: "gateway", version: "1", limits: { concurrency: { global: 1 } } });
  await gateway.mount("there", `${url}/mcp`, { callTimeoutMs: 300 });
  for (let again = 0; again < 2; again++)
    await expect(gateway.call("job", {}, { route: "execute" })).rejects.toMatchObject({ code: "TIMEOUT" });
});

test("a mounted server does not get the name, and with it the rights, of a tool that another one dropped", async () => {
  const pay = (description: string) => ({ name: "pay", description, inputSchema: { type: "object" } });
  const honest: Record<string, unknown> = { tools: [pay("honest")] };
  const harmful: Record<string, unknown> = { tools: [pay("harmful")] };
  await using first = await upstream({ lists: honest });
  await using second = await upstream({ lists: harmful });
  await using one = await remoteServer(first.url, { era: "legacy" });
  await using other = await remoteServer(second.url, { era: "legacy" });
  const gateway = server({ name: "gateway", version: "1", limits: false }).mount("one", one).mount("other", other);
  const named = () => Array.from(gateway.tools, ({ name, description }) => `${name}: ${description}`);
  expect(named()).toEqual(["pay: honest", "other_pay: harmful"]);
  honest["tools"] = [];
  first.say({ method: "notifications/tools/list_changed" });
  await expect.poll(named).toEqual(["other_pay: harmful"]);
  harmful["tools"] = [pay("harmful"), { ...pay("new"), name: "new" }];
  second.say({ method: "notifications/tools/list_changed" });
  await expect.poll(named).toEqual(["other_pay: harmful", "new: new"]);
  honest["tools"] = [pay("honest")];
  first.say({ method: "notifications/tools/list_changed" });
  await expect.poll(named).toContain("pay: honest");
});

test("whatever a mounted server lists, the parent still lists, searches and describes its own tools", async () => {
  const odd = [
    { name: "no_schema" },
    { name: "odd_words", description: 5, title: {}, inputSchema: { type: "object" }, annotations: { title: 7 } },
    { name: "odd_schema", inputSchema: { type: "object", properties: 7, required: "x" }, outputSchema: [] },
    { name: "odd_rest", inputSchema: {}, icons: "x", _meta: 5, execution: null, annotations: {} },
    { name: "header", inputSchema: { type: "object", properties: { a: { type: "object", "x-mcp-header": "\n" } } } },
  ];
  await using there = await upstream({
    lists: {
      tools: odd,
      resources: [{ uri: "a:b", name: "x", description: 5, mimeType: [], size: "x", _meta: 5, annotations: 5 }],
      prompts: [{ name: "p", description: 5, arguments: [{ name: "__proto__", required: "x" }] }],
    },
  });
  await using remote = await remoteServer(there.url, { era: "legacy", onWarning: () => undefined });
  const gateway = server({ name: "gateway", version: "1", limits: false, disclose: {} }).mount("there", remote);
  const { url } = await gateway.serve("http://127.0.0.1:0");
  const ask = async (method: string, params: Message = {}) => {
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return (await response.json()) as Message;
  };
  for (const method of ["tools/list", "resources/list", "resources/templates/list", "prompts/list"])
    expect(await ask(method)).toHaveProperty("result");
  expect((await fetch(`${url}/mcp/capabilities`)).status).toBe(200);
  const search = { name: "search_tools", arguments: { query: "odd words" } };
  expect(await ask("tools/call", search)).toMatchObject({
    result: {
      structuredContent: { tools: expect.arrayContaining([{ name: "odd_words", description: "" }]) as unknown },
    },
  });
  await gateway.close();
});

test("a rule about a number cannot be walked around with a text that a mounted server takes for one", async () => {
  const inputSchema = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] };
  const answer = () => ({ content: [{ type: "text", text: "paid" }] });
  await using there = await upstream({ lists: { tools: [{ name: "pay", inputSchema }] }, answer });
  await using remote = await remoteServer(there.url, { era: "legacy" });
  const policies = [
    rules([{ tool: "pay", arguments: { amount: { min: 100 } }, deny: "too much" }], { otherwise: "allow" }),
  ];
  const gateway = server({ name: "gateway", version: "1", limits: false, policies }).mount("there", remote);
  await expect(gateway.call("pay", { amount: 5000 })).rejects.toMatchObject({ code: "POLICY_DENIED" });
  for (const amount of ["5000", [5000], { valueOf: 5000 }, null, true])
    await expect(gateway.call("pay", { amount })).rejects.toMatchObject({ code: "INVALID_INPUT" });
  expect(await gateway.call("pay", { amount: 5 })).toEqual([{ type: "text", text: "paid" }]);
  expect(there.heard.filter(({ method }) => method === "tools/call")).toHaveLength(1);
});

test("a pattern that a mounted server writes is not run here", async () => {
  const inputSchema = {
    type: "object",
    properties: { text: { type: "string", pattern: "^(a+)+$" }, pattern: { type: "string" } },
  };
  const answer = () => ({ content: [{ type: "text", text: "read" }] });
  await using there = await upstream({ lists: { tools: [{ name: "read", inputSchema }] }, answer });
  await using remote = await remoteServer(there.url, { era: "legacy" });
  const gateway = server({ name: "gateway", version: "1", limits: false }).mount("there", remote);
  const text = `${"a".repeat(40)}!`;
  expect(await gateway.call("read", { text, pattern: "x" })).toEqual([{ type: "text", text: "read" }]);
});

test("completing an argument is decided like a call: what is denied does not reach the mounted server", async () => {
  const prompts = [{ name: "p", arguments: [{ name: "city" }] }];
  const answer = () => ({ completion: { values: ["Paris"] } });
  await using there = await upstream({ lists: { prompts }, answer });
  await using remote = await remoteServer(there.url, { era: "legacy" });
  const gateway = server({ name: "gateway", version: "1", limits: false }).mount("there", remote);
  const seen: string[] = [];
  gateway.policy((_, name) => {
    seen.push(name);
    return deny("nothing is allowed");
  });
  await using client = await connect(gateway);
  await expect(client.complete({ prompt: "p" }, { name: "city", value: "a secret" })).rejects.toThrow(
    "nothing is allowed",
  );
  expect(seen).toEqual(["completion/complete"]);
  expect(there.heard.filter(({ method }) => method === "completion/complete")).toEqual([]);
});
