import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { form, server, tool } from "biplane";
import type { ServeOptions, Server } from "biplane";
import { openStore } from "biplane/store";
import { modernMeta } from "./endpoints.ts";
import type { Json } from "./endpoints.ts";

let folder = "";
const opened: Server[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-tasks-"));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
  await rm(folder, { recursive: true });
});

test("a task is in the store before its caller gets it, and its result survives a restart", async () => {
  const file = join(folder, "store.db");
  const first = await serve(file);
  const { result: task } = await first.ask("tools/call", { name: "job", arguments: {} });
  expect(task).toMatchObject({ resultType: "task", status: "working", pollIntervalMs: 1000 });
  const other = await openStore(file);
  expect(await other.get("tasks", String(task["taskId"]))).toMatchObject({ status: "working" });
  await other.close();

  first.release("the result");
  await expect.poll(async () => (await first.get(task)).status).toBe("completed");
  await first.subject.close();

  const second = await serve(file);
  expect(await second.get(task)).toMatchObject({
    status: "completed",
    result: { content: [{ type: "text", text: "the result" }] },
  });
});

test("a task that was running when the server stopped has failed", async () => {
  const file = join(folder, "store.db");
  const first = await serve(file, { graceMs: 1 });
  const { result: task } = await first.ask("tools/call", { name: "stubborn", arguments: {} });
  const copy = await openStore(file);
  const record = await copy.get("tasks", String(task["taskId"]));
  await first.subject.close();
  await copy.put("tasks", String(task["taskId"]), record ?? {}); // as a kill would have left it
  await copy.close();

  const second = await serve(file);
  expect(await second.get(task)).toMatchObject({ status: "failed", error: { code: -32603 } });
});

test("a task with a key whose server stopped before its tool ran is run by the next server", async () => {
  const file = join(folder, "store.db");
  const key = { "idempotency-key": "k" };
  const first = await serve(file, { graceMs: 1 });
  const { result: task } = await first.ask("tools/call", { name: "stubborn", arguments: {} }, key);
  const copy = await openStore(file);
  const [claim] = await copy.list("answers of s");
  const record = await copy.get("tasks", String(task["taskId"]));
  await first.subject.close();
  // as a kill would have left them
  await copy.put("answers of s", String(claim?.[0]), claim?.[1] ?? {});
  await copy.put("tasks", String(task["taskId"]), { ...record, hasBegun: false });
  await copy.close();

  const second = await serve(file);
  expect(await second.get(task)).toMatchObject({ status: "working" });
  await expect.poll(() => second.stubbornRuns).toBe(1);
  expect(await second.get(task)).toMatchObject({ status: "working" });
});

test("a caller cannot see another caller's task", async () => {
  const { ask } = await serve(join(folder, "store.db"), {
    authenticate: ({ headers }) => ({ kind: "token", id: String(headers.authorization), scopes: [] }),
  });
  const { result: task } = await ask("tools/call", { name: "job", arguments: {} }, { authorization: "me" });
  const params = { taskId: task["taskId"] };
  expect(await ask("tasks/get", params, { authorization: "me" })).toMatchObject({ result: { status: "working" } });
  for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
    expect(await ask(method, params, { authorization: "you" })).toMatchObject({ error: { code: -32602 } });
  }
});

test("a cancelled task has that status, and its tool is aborted", async () => {
  const { ask, get, begun, stopped } = await serve(join(folder, "store.db"));
  const { result: task } = await ask("tools/call", { name: "job", arguments: {} });
  await begun;
  await ask("tasks/cancel", { taskId: task["taskId"] });
  await stopped();
  await expect.poll(async () => (await get(task)).status).toBe("cancelled");
});

test("a refusal before the tool runs makes no task", async () => {
  const { ask } = await serve(join(folder, "store.db"));
  const { result } = await ask("tools/call", { name: "job", arguments: { unknown: 1 } });
  expect(result).toMatchObject({ resultType: "complete", isError: true });
});

test("subscribers are notified of each change", async () => {
  const { url, ask, release } = await serve(join(folder, "store.db"));
  const { result: task } = await ask("tools/call", { name: "asking", arguments: {} }, {}, { elicitation: {} });
  const { taskId } = task;
  const listening = await post(
    url,
    "subscriptions/listen",
    { notifications: { taskIds: [taskId] } },
    { accept: "text/event-stream" },
  );
  const reader = listening.body?.pipeThrough(new TextDecoderStream()).getReader();
  let heard = "";
  const hear = async (word: string) => {
    while (!heard.includes(word)) heard += (await reader?.read())?.value ?? "";
  };
  await hear("subscriptions/acknowledged");
  await expect.poll(async () => (await ask("tasks/get", { taskId })).result["status"]).toBe("input_required");
  await ask("tasks/update", { taskId, inputResponses: { name: { action: "accept", content: { name: "Ada" } } } });
  release("over");
  await hear('"status":"completed"');
  expect(heard).toContain("Hello Ada");
  await reader?.cancel();
});

interface Answer {
  readonly result: Json;
}

async function serve(file: string, options: ServeOptions = {}) {
  let release: (text: string) => void = () => undefined;
  let announceBegin: () => void = () => undefined;
  let announceStop: () => void = () => undefined;
  const released = new Promise<string>((resolve) => (release = resolve));
  const begun = new Promise<void>((resolve) => (announceBegin = resolve));
  const stopped = new Promise<void>((resolve) => (announceStop = resolve));
  const state = { stubbornRuns: 0 };
  const subject = server({
    name: "s",
    version: "1",
    store: await openStore(file),
    tools: {
      job: tool({
        task: "optional",
        run: (_, call) => {
          call.signal.addEventListener("abort", announceStop);
          announceBegin();
          return released;
        },
      }),
      stubborn: tool({
        task: "optional",
        run: () => {
          state.stubbornRuns++;
          return new Promise(() => undefined);
        },
      }),
      asking: tool({
        task: "optional",
        interactive: true,
        run: async (_, call) => {
          await call.detach();
          const answer = await call.ask(
            "name",
            form("Who?", { type: "object", properties: { name: { type: "string" } } }),
          );
          await released;
          return `Hello ${String(answer.content?.["name"])}`;
        },
      }),
    },
  });
  opened.push(subject);
  const { url } = await subject.serve({ url: "http://127.0.0.1:0", graceMs: 50, ...options });
  const ask = async (method: string, params: Json, headers: Record<string, string> = {}, capabilities: Json = {}) =>
    (await (await post(url, method, params, headers, capabilities)).json()) as Answer;
  const get = async (task: Json) =>
    (await ask("tasks/get", { taskId: task["taskId"] })).result as Json & { status: string };
  return Object.assign(state, {
    subject,
    url,
    ask,
    get,
    release: (text: string) => release(text),
    begun,
    stopped: () => stopped,
  });
}

function post(
  url: string,
  method: string,
  params: Json,
  headers: Record<string, string> = {},
  capabilities: Json = {},
): Promise<Response> {
  const meta = modernMeta({ ...capabilities, extensions: { "io.modelcontextprotocol/tasks": {} } });
  const name = params["taskId"] ?? params["name"];
  return fetch(`${url}/mcp`, {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } }),
    headers: {
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
      ...headers,
    },
  });
}
