import { once } from "node:events";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { ask, environment, server, tool } from "biplane";
import { connect } from "biplane/client";
import { openApprovals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import type { Approver } from "../../packages/core/src/call/approve.ts";
import { subjectHash } from "../../packages/core/src/call/subject-hash.ts";
import { simulatedApprover } from "../../packages/biplane/src/governance/approvals/simulated.ts";
import { openStore } from "biplane/store";
import { ada, openKit } from "../governance/approvals/approval-server.ts";
import type { Kit } from "../governance/approvals/approval-server.ts";
import { modernMeta } from "./endpoints.ts";
import type { Json } from "./endpoints.ts";

const pendingMeta = (approval: Json = {}) => ({
  "dev.biplane/error": { code: "APPROVAL_PENDING", approval: { status: "pending", ...approval } },
});
const listen = async ({ server }: Kit) => (await server.serve("http://127.0.0.1:0")).url;
const approve = async (kit: Kit) =>
  void (await kit.approvals.answer([await kit.waiting()], { verdict: "approve" }, ada));

test("REST answers 202 with an id; the same order finds the answer later", async () => {
  await using kit = await openKit();
  const url = await listen(kit);
  const order = () =>
    fetch(`${url}/mcp/execute`, {
      method: "POST",
      body: JSON.stringify({ tool: "refund", arguments: { amount: 5 } }),
    });
  const first = await order();
  expect(first.status).toBe(202);
  expect(await first.json()).toMatchObject({
    error: "APPROVAL_PENDING",
    approval: { id: await kit.waiting(), status: "pending" },
  });
  await approve(kit);
  expect(await (await order()).json()).toMatchObject({ result: "refunded 5" });
  expect(kit.refunds).toEqual([5]);
  await order();
  await kit.approvals.answer([await kit.waiting()], { verdict: "reject", reason: "enough" }, ada);
  const last = await order();
  expect(last.status).toBe(403);
  expect(await last.json()).toMatchObject({ error: "APPROVAL_REJECTED", approval: { status: "rejected" } });
});

test("an MCP client without tasks or opt-in gets the pending approval, and calls again", async () => {
  await using kit = await openKit();
  const url = await listen(kit);
  const { call, close } = await oldClient(url);
  const first = await call();
  expect(first).toMatchObject({
    isError: true,
    content: [{ type: "text", text: expect.stringContaining("Error: Approval is needed: Refund it?") as unknown }],
    _meta: pendingMeta({ id: await kit.waiting() }),
  });
  await approve(kit);
  expect(await call()).toMatchObject({ content: [{ text: "refunded 5" }] });
  await close();
});

test("the client's own user is asked only where the operator allows it", async () => {
  const asked: string[] = [];
  const user = (action: "accept" | "decline") => (message: string) => {
    asked.push(message);
    return { action };
  };
  await using strict = await openKit();
  const strictly = await oldClient(await listen(strict), user("accept"));
  expect(await strictly.call()).toMatchObject({
    isError: true,
    _meta: pendingMeta(),
  });
  expect(asked).toEqual([]);
  await strictly.close();

  await using open = await openKit({ byCaller: true });
  const url = await listen(open);
  const no = await oldClient(url, user("decline"));
  expect(await no.call()).toMatchObject({ isError: true });
  expect(open.refunds).toEqual([]);
  await no.close();
  const yes = await oldClient(url, user("accept"));
  expect(await yes.call()).toMatchObject({ content: [{ text: "refunded 5" }] });
  expect(asked.at(-1)).toContain('"amount": 5');
  await yes.close();
});

test("a policy can keep the client's user out of it", async () => {
  await using kit = await openKit({ byCaller: true, policies: [() => ask("Run it?", { byCaller: false })] });
  const client = await oldClient(await listen(kit), () => ({ action: "accept" }));
  expect(await client.call()).toMatchObject({ isError: true, _meta: pendingMeta() });
  await client.close();
});

/** What the question is called: it is about this very call. */
/** Names the subject, the rule and the text that is shown. */
const approvalKey = `dev.biplane/approval/${subjectHash([
  subjectHash(["kit", "refund", { amount: 5 }]),
  ["askAboutRefunds"],
  'Refund it?\n\nrefund {\n  "amount": 5\n}',
])}`;

test("in 2026-07-28 the question ends the request, and the next attempt brings the answer", async () => {
  await using kit = await openKit({ byCaller: true });
  const url = await listen(kit);
  const { result: first } = await modern(url, { elicitation: {} });
  expect(first).toMatchObject({
    resultType: "input_required",
    inputRequests: { [approvalKey]: { method: "elicitation/create" } },
  });
  const answers = (action: string) => ({
    requestState: first["requestState"],
    inputResponses: { [approvalKey]: { action } },
  });
  expect((await modern(url, { elicitation: {} }, answers("decline"))).result).toMatchObject({ isError: true });
  expect(kit.refunds).toEqual([]);
  expect((await modern(url, { elicitation: {} }, answers("accept"))).result).toMatchObject({
    content: [{ text: "refunded 5" }],
  });
});

test("without the operator's permission, an unsolicited answer is ignored", async () => {
  await using kit = await openKit();
  const forged = { inputResponses: { [approvalKey]: { action: "accept" } } };
  const { result } = await modern(await listen(kit), { elicitation: {} }, forged);
  expect(result).toMatchObject({ isError: true, _meta: pendingMeta() });
  expect(kit.refunds).toEqual([]);
});

test("a client that knows tasks gets one, which ends when the answer comes", async () => {
  await using kit = await openKit();
  const url = await listen(kit);
  const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  const { result: task } = await modern(url, tasks);
  const waits = { status: "working", statusMessage: expect.stringContaining("Refund it?") as string };
  expect(task).toMatchObject({ resultType: "task", ...waits, _meta: pendingMeta({ id: await kit.waiting() }) });
  const get = async () =>
    (await post(url, "tasks/get", { taskId: task["taskId"], _meta: modernMeta(tasks) }, String(task["taskId"]))).result;
  expect(await get()).toMatchObject({ ...waits, _meta: pendingMeta() });
  await approve(kit);
  await expect.poll(get).toMatchObject({ status: "completed", result: { content: [{ text: "refunded 5" }] } });
  const ended = await get();
  expect(ended).not.toHaveProperty("statusMessage");
  expect(ended["_meta"]).not.toHaveProperty(["dev.biplane/error"]);
  expect(kit.refunds).toEqual([5]);
});

test("a client learns what its call waits for, also through a mount, and when it continues", async () => {
  await using kit = await openKit();
  await using hub = server({ name: "hub", version: "1", limits: false });
  await hub.mount("kit", `${await listen(kit)}/mcp`);
  const { url } = await hub.serve("http://127.0.0.1:0");
  await using client = await connect(`${url}/mcp`);
  const heard: unknown[] = [];
  const result = await client.callTool(
    "refund",
    { amount: 5 },
    {
      onPending: (pending) => {
        heard.push(pending?.details);
        if (pending) void approve(kit);
      },
    },
  );
  expect(result).toMatchObject({ content: [{ text: "refunded 5" }] });
  // Hexadecimal, so that a command never takes it for an option.
  const id = expect.stringMatching(/^[0-9a-f]{24}$/) as string;
  expect(heard).toEqual([{ approval: { id, status: "pending" } }, undefined]);
});

/** One step that a person must allow. */
function lever(approver: Approver) {
  return environment({
    name: "lever",
    version: "1",
    start: () => ({ pulls: 0 }),
    observe: ({ pulls }) => ({ pulls }),
    tools: (tool) => ({
      pull: tool({
        input: { type: "object", properties: { hard: { type: "integer" } } },
        run: (_, { state }) => void state.pulls++,
      }),
    }),
    reward: ({ after }) => after.pulls,
    policies: [() => ask("Pull it?")],
    approver,
  });
}

test("a trainer's socket waits for the answer", async () => {
  await using store = await openStore(":memory:");
  await using approvals = openApprovals({ store });
  await using subject = lever(approvals);
  const { url } = await subject.serve("http://127.0.0.1:0");
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
  await once(socket, "open");
  const send = async (frame: Json) => {
    socket.send(JSON.stringify(frame));
    return JSON.parse(String(((await once(socket, "message")) as [Buffer])[0])) as { data: Json };
  };
  await send({ type: "reset", data: {} });
  approvals.onChange(({ id, status }) => {
    if (status === "waiting") void approvals.answer([id], { verdict: "approve" }, ada);
  });
  const { data } = await send({ type: "step", data: { type: "call_tool", tool_name: "pull", arguments: {} } });
  expect(data).toMatchObject({ observation: { result: { data: { pulls: 1 } } }, reward: 1 });
  socket.close();
});

test("a simulated approver gives the same answers to the same seed, and others to another", async () => {
  const play = async (seed: number, approverSeed: number) => {
    await using subject = lever(simulatedApprover({ seed: approverSeed, approve: 0.5 }));
    const episode = await subject.start({ seed });
    const answers: boolean[] = [];
    for (let hard = 0; hard < 40; hard++) {
      answers.push(
        await subject.call(episode, "pull", { hard }).then(
          () => true,
          (error: unknown) => {
            expect(error).toMatchObject({ code: "APPROVAL_REJECTED" });
            return false;
          },
        ),
      );
    }
    return answers;
  };
  const first = await play(1, 1);
  expect(first).toContain(true);
  expect(first).toContain(false);
  expect(await play(1, 1)).toEqual(first);
  expect(await play(2, 1)).not.toEqual(first);
  expect(await play(1, 2)).not.toEqual(first);
});

test("a simulated approver answers nothing outside an episode", async () => {
  const act = tool({ name: "act", run: () => "acted" });
  const approver = simulatedApprover({ seed: 1 });
  const gateway = server({ name: "s", version: "1", tools: [act], policies: [() => ask("?")], approver });
  await expect(gateway.call("act", {})).rejects.toMatchObject({ code: "APPROVAL_REJECTED" });
});

async function oldClient(url: string, user?: (message: string) => { action: "accept" | "decline" }) {
  const client = new Client({ name: "host", version: "1" }, { capabilities: user ? { elicitation: {} } : {} });
  if (user) client.setRequestHandler(ElicitRequestSchema, ({ params }) => user(params.message));
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  return {
    call: () => client.callTool({ name: "refund", arguments: { amount: 5 } }),
    close: () => client.close(),
  };
}

function modern(url: string, capabilities: Json, more: Json = {}): Promise<{ result: Json }> {
  const params = { name: "refund", arguments: { amount: 5 }, ...more, _meta: modernMeta(capabilities) };
  return post(url, "tools/call", params, "refund");
}

async function post(url: string, method: string, params: Json, name: string): Promise<{ result: Json }> {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      "mcp-name": name,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return (await response.json()) as { result: Json };
}
