import { afterEach, expect, test } from "vitest";
import { environment } from "biplane";
import type { Environment } from "biplane";
import { openSocket } from "./socket.ts";

const opened: Environment[] = [];
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

/** A socket of an environment with RFC 003's tool, and with one whose arguments are named like fields of an action. */
async function play(options: { action?: string } = {}) {
  const files = environment({
    name: "files",
    start: () => ({}),
    observe: () => ({}),
    tools: (tool) => ({
      read_text_file: tool({
        input: {
          type: "object",
          properties: { path: { type: "string" }, head: { type: "integer" } },
          required: ["path"],
        },
        run: ({ path, head }) => `${head ?? "all"} of ${path}`,
      }),
      label: tool({
        input: {
          type: "object",
          properties: { tool: { type: "string" }, metadata: { type: "string" }, arguments: { type: "string" } },
        },
        run: (input) => JSON.stringify(input),
      }),
    }),
    ...options,
  });
  opened.push(files);
  const { send } = await openSocket((await files.serve("http://127.0.0.1:0")).url);
  await send({ type: "reset" });
  return async (action: object) => (await send({ type: "step", data: action })).data;
}

test.each([
  ["as RFC 003 writes it", { tool: "read_text_file", path: "~/file.txt", head: 100 }, "100 of ~/file.txt"],
  ["with its type", { type: "call_tool", tool: "read_text_file", path: "a" }, "all of a"],
  ["with metadata", { tool: "read_text_file", path: "a", metadata: { from: "trl" } }, "all of a"],
  ["with its arguments in an object", { tool: "read_text_file", arguments: { path: "a" } }, "all of a"],
  ["with an argument that is named arguments", { tool_name: "label", arguments: { tool: "b" } }, '{"tool":"b"}'],
])("a flat action names its tool and its arguments: %s", async (_, action, text) => {
  const step = await play();
  expect(await step(action)).toMatchObject({ observation: { error: null, result: { data: text } } });
});

test("a flat action of a tool that is not there is an observation, as for the other form", async () => {
  const step = await play();
  expect(await step({ tool: "nope", path: "a" })).toMatchObject({
    observation: { error: { error_type: "tool_not_found" } },
  });
  expect(await step({ tool: "read_text_file", path: 1 })).toMatchObject({
    observation: { error: { error_type: "invalid_args" } },
  });
});

test("a flat action that could mean two things is refused, with the form that cannot", async () => {
  const step = await play();
  expect(await step({ tool: "label", arguments: "x" })).toMatchObject({
    code: "VALIDATION_ERROR",
    errors: [{ loc: ["tool"], msg: expect.stringContaining("tool_name") }],
  });
});

test("in an environment with a typed action, a field named tool belongs to that action", async () => {
  const typed = await play({ action: "label" });
  expect(await typed({ tool: "read_text_file" })).toMatchObject({ observation: {}, done: false });
  const other = await play({ action: "read_text_file" });
  expect(await other({ tool: "read_text_file", path: "a" })).toMatchObject({
    observation: { tool_name: "read_text_file" },
  });
});

test("listed tools have their schema in both spellings", async () => {
  const step = await play();
  const { tools } = (await step({ type: "list_tools" }))["observation"] as { tools: Record<string, unknown>[] };
  expect(tools[0]).toMatchObject({ name: "read_text_file", input_schema: { required: ["path"] } });
  for (const tool of tools) expect(tool["inputSchema"]).toEqual(tool["input_schema"]);
});
