import { expect, test } from "vitest";
import type { Environment } from "biplane";
import { counter } from "../../environment/counter.ts";
import { stateless } from "../../environment/stateless.ts";
import { serveForTest } from "../../support/serve-for-test.ts";
import { OrsClient } from "./client.ts";

async function serve(maxBodyBytes = 10_000, subject: Environment = counter()): Promise<OrsClient> {
  return new OrsClient(await serveForTest([subject], { maxBodyBytes }));
}

const posts = ["/create", "/call", "/counter/task", "/counter/tasks", "/counter/task_range", "/counter/num_tasks"];

test.each([
  ["is too large", JSON.stringify({ name: "add", input: "x".repeat(20_000) })],
  ["is not JSON", '{"name": '],
  ["is too deep", `{"name":"add","input":${"[".repeat(4000)}${"]".repeat(4000)}}`],
  ["is a list", "[]"],
  ["is a number", "7"],
  ["is not UTF-8", "\ufffd"],
])("a body that %s is refused, and the session lives", async (_, body) => {
  const session = await (await serve()).begin();
  for (const path of posts) {
    const { status, body: answer } = await session.send("POST", path, body);
    expect([path, status]).toEqual([path, expect.toBeOneOf([400, 413, 422])]);
    expect(answer).toMatchObject({ detail: expect.anything() });
  }
  expect((await session.post("/ping")).body).toEqual({ status: "ok" });
  expect(await session.result("add", { by: 1 })).toMatchObject({ ok: true });
});

test.each([
  ["no name", { input: {} }],
  ["a name that is no text", { name: 7, input: {} }],
  ["an unknown field", { name: "add", input: {}, seed: 3 }],
])("a call with %s is refused before the stream begins", async (_, body) => {
  const session = await (await serve()).begin();
  expect(await session.post("/call", body)).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["body", expect.any(String)] }] },
  });
});

test.each([
  ["an id that nobody has", "0".repeat(32)],
  ["an id with a line end", "a\r\n\r\nevent: end\r\ndata: {}"],
  ["a very long id", "x".repeat(5000)],
])("a retry with %s ends with an error event", async (_, taskId) => {
  const session = await (await serve()).begin();
  const { text } = await session.post("/call", { name: "add", input: {}, task_id: taskId });
  expect(text).toMatch(/^event: task_id\r\ndata: [\w-]*\r\n\r\nevent: error\r\ndata: unknown task_id\r\n\r\n$/);
});

test.each([
  ["a task that is no object", { task_spec: "train" }, 422],
  ["a task without a place", { task_spec: { id: "short" } }, 400],
  ["a task at a place that does not exist", { task_spec: { split: "train", index: 99 } }, 400],
  ["a seed of its own", { task_spec: { seed: 7, config: { goal: 1 } } }, 400],
  ["an unknown field", { split: "train", index: 0, config: { goal: 1 } }, 422],
  ["a toolset", { split: "train", index: 0, toolset_name: "web" }, 400],
  ["a prototype as split", { split: "__proto__", index: 0 }, 400],
])("a session for %s is not created", async (_, body, status) => {
  const client = (await serve()).in("s");
  expect((await client.post("/create", body)).status).toBe(status);
  expect((await client.post("/ping")).status).toBe(404);
});

test("a session can only have so many calls at a time", async () => {
  const subject = stateless({
    name: "endless",
    tools: (tool) => ({ wait: tool({ run: () => new Promise<never>(() => undefined) }) }),
  });
  const session = await (await serve(10_000, subject)).begin();
  let refused = 0;
  const calls = Array.from({ length: 70 }, async () => {
    const { status } = await session.post("/call", { name: "wait", input: {} });
    if (status === 429) refused++;
    return status;
  });
  await expect.poll(() => refused).toBe(6);
  await session.post("/delete");
  expect((await Promise.all(calls)).filter((status) => status === 200)).toHaveLength(64);
});
