import { expect, test } from "vitest";
import { z } from "zod";
import { ask, allow, server, tool } from "biplane";
import { openApprovals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import { openStore } from "biplane/store";
import { ada, agent, openKit } from "../governance/approvals/approval-server.ts";
import { modernMeta } from "../wire/endpoints.ts";
import type { Json } from "../wire/endpoints.ts";

const pending = expect.objectContaining({ code: "APPROVAL_PENDING" }) as unknown;
const yes = { verdict: "approve" } as const;

/** A question that ended a request, and the attempt that answers it with yes. */
async function acceptAll(url: string, call: Json): Promise<{ asked: string[]; last: Json }> {
  const asked: string[] = [];
  let more: Json = {};
  for (;;) {
    const result = await modern(url, { ...call, ...more });
    if (result["resultType"] !== "input_required") return { asked, last: result };
    const requests = result["inputRequests"] as Record<string, { params: { message: string } }>;
    asked.push(...Object.values(requests).map(({ params }) => params.message));
    const inputResponses = Object.fromEntries(Object.keys(requests).map((key) => [key, { action: "accept" }]));
    more = { requestState: result["requestState"], inputResponses };
  }
}

async function modern(url: string, params: Json): Promise<Json> {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": String(params["name"]),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { ...params, _meta: modernMeta({ elicitation: {} }) },
    }),
  });
  return ((await response.json()) as { result: Json }).result;
}

test("the client's user is shown every question, and approving one approves no other", async () => {
  const first = () => ask("Refund it?");
  const second = () => ask("Really, with this script?", { subject: { script: "sha256:1" } });
  await using kit = await openKit({ byCaller: true, policies: [first, second] });
  const { url } = await kit.server.serve("http://127.0.0.1:0");
  const { asked, last } = await acceptAll(url, { name: "refund", arguments: { amount: 5 } });
  expect(asked.map((message) => message.split("\n")[0])).toEqual(["Refund it?", "Really, with this script?"]);
  expect(last).toMatchObject({ content: [{ text: "refunded 5" }] });
});

test("what changed while the client's user was asked is asked about again", async () => {
  let bytes = "harmless";
  await using kit = await openKit({ byCaller: true, policies: [() => ask(`Run ${bytes}?`, { subject: bytes })] });
  const { url } = await kit.server.serve("http://127.0.0.1:0");
  const call = { name: "refund", arguments: { amount: 5 } };
  const first = await modern(url, call);
  const [key = ""] = Object.keys(first["inputRequests"] as Json);
  bytes = "harmful";
  const answer = { requestState: first["requestState"], inputResponses: { [key]: { action: "accept" } } };
  expect(await modern(url, { ...call, ...answer })).toMatchObject({ resultType: "input_required" });
  expect(kit.refunds).toEqual([]);
});

test("an input that is too long to be shown to the client's user is not shown in part", async () => {
  await using kit = await openKit({ byCaller: true });
  const { url } = await kit.server.serve("http://127.0.0.1:0");
  const { asked, last } = await acceptAll(url, {
    name: "refund",
    arguments: { amount: 5, note: `${" ".repeat(10_000)} and send the till's key along` },
  });
  for (const message of asked) expect(message).toContain("send the till's key along");
  if (asked.length === 0) expect(last).toMatchObject({ isError: true });
  expect(kit.refunds).toHaveLength(asked.length);
});

test("text that turns or hides what stands around it is shown for what it is", async () => {
  await using kit = await openKit({ byCaller: true });
  const { url } = await kit.server.serve("http://127.0.0.1:0");
  const { asked } = await acceptAll(url, { name: "refund", arguments: { amount: 5, note: "pay \u202e5\u200b" } });
  expect(asked[0]).not.toMatch(/[\u202e\u200b]/);
});

test("a person sees what a tool would get, whatever its schema made of the input", async () => {
  await using store = await openStore(":memory:");
  const seen: unknown[] = [];
  const mail = tool({
    name: "mail",
    input: z.object({ to: z.array(z.string()).transform((all) => new Set(all)), cost: z.number().transform(BigInt) }),
    run: ({ to }) => void seen.push([...to]),
  });
  await using approvals = openApprovals({ store });
  const post = server({
    name: "post",
    version: "1",
    tools: [mail],
    approver: approvals,
    policies: [() => ask("Send?")],
  });
  const call = () => post.call("mail", { to: ["everyone@example.com"], cost: 5 }, { principal: agent, patienceMs: 0 });
  await expect(call()).rejects.toEqual(pending);
  const [waiting] = await approvals.list();
  expect(JSON.stringify(waiting?.input)).toContain("everyone@example.com");
  await approvals.answer([waiting?.id ?? ""], yes, ada);
  await call();
  expect(seen).toEqual([["everyone@example.com"]]);
});

test("a pattern that names no tool is about the tool that was asked about, and no other", async () => {
  const wire = tool({
    name: "wire",
    input: { type: "object", properties: { amount: { type: "number" } } },
    run: () => "wired",
  });
  await using kit = await openKit({ policies: [() => ask("May it?")] });
  kit.server.add(wire);
  const as = { principal: agent, patienceMs: 0 } as const;
  await expect(kit.server.call("refund", { amount: 5 }, as)).rejects.toEqual(pending);
  const pattern = { arguments: { amount: { max: 100 } } };
  await kit.approvals.answer([await kit.waiting()], { ...yes, scope: { kind: "pattern", pattern } }, ada);
  expect(await kit.server.call("refund", { amount: 7 }, as)).toBe("refunded 7");
  await expect(kit.server.call("wire", { amount: 7 }, as)).rejects.toEqual(pending);
});

test("a revoked standing approval leaves no approved call behind", async () => {
  await using kit = await openKit();
  const call = () => kit.server.call("refund", { amount: 5 }, { principal: agent, patienceMs: 0 });
  await expect(call()).rejects.toEqual(pending);
  await kit.approvals.answer([await kit.waiting()], { ...yes, scope: { kind: "always" } }, ada);
  await call();
  const [grant] = await kit.approvals.grants();
  await kit.approvals.revoke(grant?.id ?? "", ada);
  await expect(call()).rejects.toEqual(pending);
  expect(kit.refunds).toEqual([5]);
});

test("of two answers at once the one that comes too late grants nothing", async () => {
  await using kit = await openKit();
  const call = () => kit.server.call("refund", { amount: 5 }, { principal: agent, patienceMs: 0 });
  await expect(call()).rejects.toEqual(pending);
  const id = await kit.waiting();
  const bob = { kind: "person", id: "bob", scopes: [] } as const;
  const [no, always] = await Promise.allSettled([
    kit.approvals.answer([id], { verdict: "reject", reason: "no" }, bob),
    kit.approvals.answer([id], { ...yes, scope: { kind: "always" } }, ada),
  ]);
  expect([no.status, always.status].sort()).toEqual(["fulfilled", "rejected"]);
  expect(await kit.approvals.grants()).toHaveLength(always.status === "fulfilled" ? 1 : 0);
});

test("a caller cannot make one question wait for ever more calls", async () => {
  await using kit = await openKit({ maxWaiting: 3 });
  const stop = new AbortController();
  const codes: string[] = [];
  const calls = Array.from({ length: 10 }, () =>
    kit.server
      .call("refund", { amount: 5 }, { principal: agent, signal: stop.signal })
      .catch((error: { code: string }) => codes.push(error.code)),
  );
  await kit.waiting();
  await expect.poll(() => codes).toEqual(Array(7).fill("CAPACITY"));
  stop.abort();
  await Promise.all(calls);
  expect(codes.filter((code) => code === "CAPACITY")).toHaveLength(7);
});

test("what no person could read is not put into the queue", async () => {
  await using kit = await openKit();
  const huge = { amount: 5, note: "x".repeat(2_000_000) };
  await expect(kit.server.call("refund", huge, { principal: agent, patienceMs: 0 })).rejects.toMatchObject({
    code: "APPROVAL_REJECTED",
  });
  expect(await kit.approvals.list()).toEqual([]);
});

test("an approval for one call runs one call, however many arrive at once from two processes", async () => {
  await using kit = await openKit();
  await using other = await openKit({ file: kit.file });
  const call = ({ server: each }: typeof kit) =>
    each.call("refund", { amount: 5 }, { principal: agent, patienceMs: 0 }).catch(() => undefined);
  await call(kit);
  await kit.approvals.answer([await kit.waiting()], yes, ada);
  await Promise.all(Array.from({ length: 20 }, (_, at) => call(at % 2 === 0 ? kit : other)));
  expect([...kit.refunds, ...other.refunds]).toEqual([5]);
});

test("members that only look alike are not covered by one approval", async () => {
  const free = tool({
    name: "free",
    input: { type: "object", additionalProperties: true },
    run: (input) => Object.keys(input).length,
  });
  await using kit = await openKit({ policies: [(_, name) => (name === "free" ? ask("May it?") : allow())] });
  kit.server.add(free);
  const as = { principal: agent, patienceMs: 0 } as const;
  const twins: [string, string][] = [
    ['{"__proto__":{"a":1}}', "{}"],
    ['{"a":"1"}', '{"a":1}'],
    ['{"a":["x,y"]}', '{"a":["x","y"]}'],
    ['{"a":null}', "{}"],
    ['{"a\\":1,\\"b":2}', '{"a":1,"b":2}'],
    ['{"a":0}', '{"a":-0}'],
    ['{"a":"\\ud800"}', '{"a":"\\ufffd"}'],
    ['{"a":"e\\u0301"}', '{"a":"\\u00e9"}'],
  ];
  for (const [at, [shown, run]] of twins.entries()) {
    const call = (json: string) => kit.server.call("free", { [`pair ${at}`]: JSON.parse(json) as unknown }, as);
    await expect(call(shown)).rejects.toEqual(pending);
    await kit.approvals.answer([await kit.waiting()], yes, ada);
    await expect(call(run)).rejects.toEqual(pending);
    await kit.approvals.answer([await kit.waiting()], { verdict: "reject", reason: "no" }, ada);
  }
});
