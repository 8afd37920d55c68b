import { describe, expect, test } from "vitest";
import { form, server, tool } from "biplane";
import { connect } from "biplane/client";
import { listen } from "../support/serving.ts";
import { patienceMs, within } from "../support/within.ts";

/** Jobs that outlive their request: one that waits to be let go, one that asks, one that fails. */
function jobs() {
  let release: (value: string) => void = () => undefined;
  let stopped: () => void = () => undefined;
  const begun: unknown[] = [];
  const wasStopped = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  const gateway = server({
    name: "jobs",
    version: "1",
    limits: false,
    tools: {
      job: tool({
        description: "Takes its time",
        task: "optional",
        timeoutMs: 60_000,
        run: (_, call) =>
          new Promise<string>((resolve, reject) => {
            begun.push(call);
            release = resolve;
            call.signal.addEventListener("abort", () => {
              stopped();
              reject(call.signal.reason as Error);
            });
          }),
      }),
      survey: tool({
        description: "Asks while it runs",
        task: "optional",
        interactive: true,
        timeoutMs: 60_000,
        run: async (_, call) => {
          await call.detach();
          const answer = await call.ask("name", nameForm);
          return `Thanks, ${String(answer.content?.["name"])}`;
        },
      }),
    },
  });
  return { gateway, wasStopped, begun, release: (value: string) => release(value) };
}

const nameForm = form("Who are you?", { type: "object", properties: { name: { type: "string" } } });

/** Polling without waiting: the pause ends when the loop has turned. */
const sleep = async (_: number, signal: AbortSignal) => {
  await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
};

describe.each(["http", "memory"])("over %s", (way) => {
  test("a call that becomes a task is waited for", async () => {
    const { gateway, release } = jobs();
    await using served = await listen(gateway);
    await using client = await connect(way === "http" ? served.mcp : gateway, { sleep });
    const states: unknown[] = [];
    const onTask = (task: { readonly [key: string]: unknown }) => {
      if (states.at(-1) !== task["status"]) states.push(task["status"]);
      release("the result");
    };
    const result = await within(patienceMs, "the task", client.callTool("job", {}, { onTask }));
    expect(result).toMatchObject({ content: [{ text: "the result" }] });
    expect(states).toEqual(["working", "completed"]);
  });

  test("a task that asks is answered", async () => {
    const { gateway } = jobs();
    await using served = await listen(gateway);
    const answers = { form: () => ({ action: "accept" as const, content: { name: "Ada" } }) };
    await using client = await connect(way === "http" ? served.mcp : gateway, { sleep, answers });
    const result = await within(patienceMs, "the task", client.callTool("survey"));
    expect(result).toMatchObject({ content: [{ text: "Thanks, Ada" }] });
  });

  test("a task is cancelled with its call", async () => {
    const { gateway, wasStopped } = jobs();
    await using served = await listen(gateway);
    await using client = await connect(way === "http" ? served.mcp : gateway, { sleep });
    const cancel = new AbortController();
    const onTask = () => cancel.abort();
    await expect(client.callTool("job", {}, { onTask, signal: cancel.signal })).rejects.toMatchObject({
      code: "CANCELLED",
    });
    await within(patienceMs, "the end of the job", wasStopped);
  });
});

test("a task can be left and waited for later, or cancelled by its id", async () => {
  const { gateway, release, wasStopped, begun } = jobs();
  await using client = await connect(gateway, { sleep });
  const task = await client.request("tools/call", { name: "job", arguments: {} }, { raw: true });
  expect(task).toMatchObject({ resultType: "task", status: "working" });
  await expect.poll(() => begun.length).toBe(1);
  const waiting = client.waitForTask(String(task["taskId"]));
  release("in the end");
  expect(await waiting).toMatchObject({ content: [{ text: "in the end" }] });
  const second = await client.request("tools/call", { name: "job", arguments: {} }, { raw: true });
  await expect.poll(() => begun.length).toBe(2);
  await client.cancelTask(String(second["taskId"]));
  await within(patienceMs, "the end of the job", wasStopped);
  await expect(client.waitForTask(String(second["taskId"]))).rejects.toMatchObject({ code: "CANCELLED" });
});

test("a client that wants no tasks gets the result", async () => {
  const { gateway, release } = jobs();
  await using client = await connect(gateway, { tasks: false });
  const called = client.callTool("job");
  await client.ping();
  release("at once");
  expect(await called).toMatchObject({ content: [{ text: "at once" }] });
});
