import { once } from "node:events";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { ask, environment, server, tool } from "biplane";
import { openApprovals } from "../../src/admin/approvals/approvals.ts";
import type { Approver } from "../../src/call/approve.ts";
import { subjectHash } from "../../src/call/subject-hash.ts";
import { simulatedApprover } from "../../src/admin/approvals/simulated.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { ada, openDesk } from "../admin/approvals/desk.ts";
import type { Desk } from "../admin/approvals/desk.ts";
import { modernMeta } from "./doors.ts";
import type { Json } from "./doors.ts";

const listen = async ({ server }: Desk) => (await server.serve("http://127.0.0.1:0")).url;
const approve = async (desk: Desk) =>
  void (await desk.approvals.answer([await desk.waiting()], { verdict: "approve" }, ada));

test("REST answers 202 with an id; the same order finds the answer later", async () => {
  await using desk = openDesk();
  const url = await listen(desk);
  const order = () =>
    fetch(`${url}/mcp/execute`, {
      method: "POST",
      body: JSON.stringify({ tool: "refund", arguments: { amount: 5 } }),
    });
  const first = await order();
  expect(first.status).toBe(202);
  expect(await first.json()).toMatchObject({
    error: "APPROVAL_PENDING",
    approval: { id: await desk.waiting(), status: "pending" },
  });
  await approve(desk);
  expect(await (await order()).json()).toMatchObject({ result: "refunded 5" });
  expect(desk.refunds).toEqual([5]);
  await order();
  await desk.approvals.answer([await desk.waiting()], { verdict: "reject", reason: "enough" }, ada);
  const last = await order();
  expect(last.status).toBe(403);
  expect(await last.json()).toMatchObject({ error: "APPROVAL_REJECTED", approval: { status: "rejected" } });
});

test("an MCP client without tasks or opt-in is told that approval is pending, and asks again", async () => {
  await using desk = openDesk();
  const url = await listen(desk);
  const { call, close } = await oldClient(url);
  const first = await call();
  expect(first).toMatchObject({
    isError: true,
    content: [{ type: "text", text: expect.stringContaining("Error: Approval is needed: Refund it?") as unknown }],
    structuredContent: { approval: { id: await desk.waiting(), status: "pending" } },
  });
  await approve(desk);
  expect(await call()).toMatchObject({ content: [{ text: "refunded 5" }] });
  await close();
});

test("the client's own user is asked only where the operator allows it", async () => {
  const asked: string[] = [];
  const user = (action: "accept" | "decline") => (message: string) => {
    asked.push(message);
    return { action };
  };
  await using strict = openDesk();
  const strictly = await oldClient(await listen(strict), user("accept"));
  expect(await strictly.call()).toMatchObject({
    isError: true,
    structuredContent: { approval: { status: "pending" } },
  });
  expect(asked).toEqual([]);
  await strictly.close();

  await using open = openDesk({ byCaller: true });
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
  await using desk = openDesk({ byCaller: true, policies: [() => ask("Run it?", { byCaller: false })] });
  const client = await oldClient(await listen(desk), () => ({ action: "accept" }));
  expect(await client.call()).toMatchObject({ isError: true, structuredContent: { approval: { status: "pending" } } });
  await client.close();
});

/** What the question is called: it is about this very call. */
const approvalKey = `dev.biplane/approval/${subjectHash(["desk", "refund", { amount: 5 }])}`;

test("in 2026-07-28 the question ends the request, and the next attempt brings the answer", async () => {
  await using desk = openDesk({ byCaller: true });
  const url = await listen(desk);
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
  expect(desk.refunds).toEqual([]);
  expect((await modern(url, { elicitation: {} }, answers("accept"))).result).toMatchObject({
    content: [{ text: "refunded 5" }],
  });
});

test("without the operator's leave, an answer that nobody asked for counts for nothing", async () => {
  await using desk = openDesk();
  const forged = { inputResponses: { [approvalKey]: { action: "accept" } } };
  const { result } = await modern(await listen(desk), { elicitation: {} }, forged);
  expect(result).toMatchObject({ isError: true, structuredContent: { approval: { status: "pending" } } });
  expect(desk.refunds).toEqual([]);
});

test("a client that knows tasks gets one, which ends when the answer comes", async () => {
  await using desk = openDesk();
  const url = await listen(desk);
  const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  const { result: task } = await modern(url, tasks);
  expect(task).toMatchObject({ resultType: "task", status: "working" });
  const get = async () =>
    (await post(url, "tasks/get", { taskId: task["taskId"], _meta: modernMeta(tasks) }, String(task["taskId"]))).result;
  expect(await get()).toMatchObject({ status: "working" });
  await approve(desk);
  await expect.poll(get).toMatchObject({ status: "completed", result: { content: [{ text: "refunded 5" }] } });
  expect(desk.refunds).toEqual([5]);
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
  await using store = sqliteStore(":memory:");
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
  const house = server({ name: "s", version: "1", tools: [act], policies: [() => ask("?")], approver });
  await expect(house.call("act", {})).rejects.toMatchObject({ code: "APPROVAL_REJECTED" });
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
