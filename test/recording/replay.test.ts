import { join } from "node:path";
import { expect, test } from "vitest";
import { connect } from "biplane/client";
import type { Client, ToolResult } from "biplane/client";
import { recordedServer } from "biplane/recording";
import { normaliseArguments } from "../../packages/biplane/src/recording/normalise-arguments.ts";
import { orders, record } from "./orders.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const calls: readonly (readonly [tool: string, input: Record<string, unknown>])[] = [
  ["order_get", { id: "A-1" }],
  ["order_list", { customer: "Ada" }],
  ["order_cancel", { id: "A-1" }],
  ["order_get", { id: "A-1" }],
  ["order_cancel", { id: "A-1" }],
  ["order_get", { id: 7 }],
];

async function answersTo(client: Client): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const [tool, input] of calls) answers.push(plain(await client.callTool(tool, input)));
  answers.push(await client.readResource("policy://refunds"), await client.getPrompt("greet", { who: "Ada" }));
  return JSON.parse(JSON.stringify(answers)) as unknown[];
}

function plain({ content, structuredContent, isError }: ToolResult) {
  return { content, structuredContent, isError };
}

async function recorded() {
  await using folder = await temporaryFolder();
  await using served = orders();
  let answers: unknown[] = [];
  const recordings = await record(served, [async (client) => void (answers = await answersTo(client))], {
    file: join(folder.path, "sessions.jsonl"),
  });
  return { recordings, answers };
}

test.each(["legacy", "modern"] as const)("a recorded server lists and answers as the server did: %s", async (era) => {
  const { recordings } = await recorded();
  await using live = orders();
  await using mock = recordedServer(recordings);
  await using one = await connect(live, { era });
  await using other = await connect(mock, { era });
  expect(await other.listTools()).toEqual(await one.listTools());
  expect(await other.listPrompts()).toEqual(await one.listPrompts());
  expect((await other.listResources()).map(({ uri }) => uri)).toEqual(
    (await one.listResources()).map(({ uri }) => uri),
  );
  expect(await answersTo(other)).toEqual(await answersTo(one));
});

test("repeated calls answer in recorded order, for each client anew, and then with the last answer", async () => {
  const { recordings } = await recorded();
  await using mock = recordedServer(recordings);
  for (let round = 0; round < 2; round++) {
    await using client = await connect(mock, { era: "legacy" });
    const seen: unknown[] = [];
    for (let count = 0; count < 4; count++)
      seen.push((await client.callTool("order_get", { id: "A-1" })).structuredContent);
    expect(seen.map((each) => (each as { status: string }).status)).toEqual([
      "open",
      "cancelled",
      "cancelled",
      "cancelled",
    ]);
  }
});

test("small differences of spelling match; others are a miss that names the nearest call", async () => {
  const { recordings } = await recorded();
  await using mock = recordedServer(recordings);
  await using client = await connect(mock);
  const same = await client.callTool("order_list", { limit: 10, customer: " ADA " });
  expect(same).toMatchObject({ content: [{ text: '["A-1 of Ada"]' }] });
  const miss = await client.callTool("order_list", { customer: "Grace" });
  expect(miss.isError).toBe(true);
  expect(miss.content).toMatchObject([
    {
      text: 'Error: The recording has no call order_list({"customer":"Grace"}). The nearest is order_list({"customer":"Ada"}), call 2: it differs in customer.',
    },
  ]);
  const never = await client.callTool("key_show");
  expect(never.content).toMatchObject([{ text: expect.stringMatching(/It has no call of key_show at all/) as string }]);
  await expect(client.readResource("policy://returns")).rejects.toThrow(/not found/i);
});

test.each([
  [{ a: " Ada  Lovelace " }, { a: "ada lovelace" }, true],
  [{ a: "7" }, { a: 7 }, true],
  [{ a: "007" }, { a: 7 }, false],
  [{ a: "TRUE" }, { a: true }, true],
  [{ a: null, b: "", c: {}, d: [] }, {}, true],
  [{ limit: 10 }, {}, true],
  [{ limit: 11 }, {}, false],
  [{ a: { c: [1, "X"], b: 2 } }, { a: { b: 2, c: [1, "x"] } }, true],
  [{ a: [1, 2] }, { a: [2, 1] }, false],
  [{ a: 1 }, { a: 1.5 }, false],
])("%j and %j are alike: %s", (one, other, alike) => {
  const schema = { properties: { limit: { default: 10 } } };
  const [first, second] = [one, other].map((each) => normaliseArguments(each, schema));
  if (alike) expect(first).toEqual(second);
  else expect(first).not.toEqual(second);
});
