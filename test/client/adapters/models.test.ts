import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { allow, deny, image, reply, server, text, tool } from "biplane";
import type { Server } from "biplane";
import {
  anthropicTools,
  callFromAnthropic,
  callsFromAnthropic,
} from "../../../packages/core/src/client/adapters/anthropic.ts";
import { modelName } from "../../../packages/core/src/client/adapters/model-name.ts";
import { callFromOpenAi, callsFromOpenAi, openAiTools } from "../../../packages/core/src/client/adapters/openai.ts";
import { toolsOf } from "../../../packages/core/src/client/adapters/tool-source.ts";
import type { ToolSource } from "../../../packages/core/src/client/adapters/tool-source.ts";
import type { Client } from "../../../packages/core/src/client/client.ts";
import { connect } from "biplane/client";
import { frozenLake } from "../../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { png } from "../../support/fixture.ts";

const long = `very.long.${"name_".repeat(20)}`;
const waiting: (() => void)[] = [];

function gateway(): Server {
  return server({
    name: "gateway",
    version: "1",
    limits: false,
    policies: [(_, name) => (name === "secret" ? deny("not for you") : allow())],
    tools: {
      add: tool({
        description: "Adds",
        input: z.object({ a: z.number(), b: z.number() }),
        output: z.object({ sum: z.number() }),
        run: ({ a, b }) => ({ sum: a + b }),
      }),
      "files.read": tool({ description: "Has a dot", run: () => "dotted" }),
      files_read: tool({ run: () => "underscored" }),
      [long]: tool({ run: () => "long" }),
      picture: tool({ run: () => reply([text("red:"), image(png, "image/png"), image("PHN2Zy8+", "image/svg+xml")]) }),
      fail: tool({
        run: () => {
          throw new Error("it broke");
        },
      }),
      secret: tool({ run: () => "secret" }),
      nothing: tool({ run: () => undefined }),
      together: tool({
        run: () =>
          new Promise((resolve) => {
            waiting.push(() => resolve("together"));
            if (waiting.length === 2) for (const go of waiting.splice(0)) go();
          }),
      }),
      hang: tool({ timeoutMs: 60_000, run: () => new Promise(() => undefined) }),
    },
  });
}

describe.each(["a client", "a server"])("%s, called by a model", (kind) => {
  let of: Server;
  let source: ToolSource;
  let client: Client | undefined;
  beforeAll(async () => {
    of = gateway();
    client = kind === "a client" ? await connect(of) : undefined;
    source = client ?? toolsOf(of);
  });
  afterAll(async () => {
    await client?.close();
    await of.close();
  });
  const openAi = (name: string, written = "{}") =>
    callFromOpenAi(source, { id: "c1", function: { name, arguments: written } });
  const anthropic = (name: string, input: unknown = {}) =>
    callFromAnthropic(source, { type: "tool_use", id: "t1", name, input });

  test("lists its tools by names that the APIs allow, each a different one", async () => {
    const tools = openAiTools(await source.listTools());
    expect(tools[0]).toMatchObject({
      type: "function",
      function: { name: "add", description: "Adds", parameters: { type: "object", required: ["a", "b"] } },
    });
    const names = tools.map(({ function: { name } }) => name);
    expect(names.every((name) => /^[\w-]{1,64}$/.test(name))).toBe(true);
    expect(new Set(names).size).toBe(10);
    const theirs = anthropicTools(await source.listTools());
    expect(theirs.map(({ name }) => name)).toEqual(names);
    expect(theirs[0]?.input_schema).toMatchObject({ type: "object", required: ["a", "b"] });
  });

  test("takes a call by the name it was listed under", async () => {
    const listed = await source.listTools();
    for (const { name } of listed.filter(({ name: each }) => ["files.read", "files_read", long].includes(each))) {
      const said = name === long ? "long" : name.includes(".") ? "dotted" : "underscored";
      expect((await openAi(modelName(name))).content).toBe(said);
      expect((await anthropic(modelName(name))).content).toEqual([{ type: "text", text: said }]);
    }
  });

  test("answers with what the tool said", async () => {
    expect(await openAi("add", '{"a":1,"b":2}')).toEqual({ role: "tool", tool_call_id: "c1", content: '{"sum":3}' });
    expect(await anthropic("add", { a: 1, b: 2 })).toEqual({
      type: "tool_result",
      tool_use_id: "t1",
      content: [{ type: "text", text: '{"sum":3}' }],
    });
    expect((await openAi("nothing", "")).content).toBe("");
    expect((await anthropic("nothing")).content).toEqual([]);
  });

  test.each([
    ["fail", "{}", "it broke"],
    ["secret", "{}", "not for you"],
    ["add", '{"a":"one","b":2}', "/a"],
    ["add", "{not json", "The arguments are not JSON"],
    ["add", "[1]", "The arguments must be an object"],
    ["no_such_tool", "{}", "no_such_tool"],
  ])("answers a call that fails with an error: %s %s", async (name, written, message) => {
    const { content } = await openAi(name, written);
    expect(content).toMatch(/^Error: /);
    expect(content).toContain(message);
    if (written.startsWith("{not")) return;
    const theirs = await anthropic(name, JSON.parse(written));
    expect(theirs).toMatchObject({ is_error: true, content: [{ text: content }] });
  });

  test("shows pictures where each API has a place for them", async () => {
    const call = { id: "c1", function: { name: "picture", arguments: "{}" } };
    expect(
      await callsFromOpenAi(source, [
        call,
        { ...call, id: "c2", function: { name: "add", arguments: '{"a":1,"b":1}' } },
      ]),
    ).toEqual([
      { role: "tool", tool_call_id: "c1", content: "red:\n[image/png, in the next message]\n[image/svg+xml]" },
      { role: "tool", tool_call_id: "c2", content: '{"sum":2}' },
      {
        role: "user",
        content: [
          { type: "text", text: "From picture (c1):" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
        ],
      },
    ]);
    expect((await anthropic("picture")).content).toEqual([
      { type: "text", text: "red:" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
      { type: "text", text: "[image/svg+xml]" },
    ]);
  });

  test("makes the calls of one turn at once, and answers them in order", async () => {
    const block = { type: "tool_use", name: "together", input: {} } as const;
    const content = [{ type: "text" }, { ...block, id: "a" }, { ...block, id: "b" }];
    const answer = await callsFromAnthropic(source, content);
    expect(answer?.content.map((each) => each.tool_use_id)).toEqual(["a", "b"]);
    expect(await callsFromAnthropic(source, [{ type: "text" }])).toBeUndefined();
    const together = { name: "together", arguments: "{}" };
    const messages = await callsFromOpenAi(source, [
      { id: "a", function: together },
      { id: "b", function: together },
    ]);
    expect(messages).toHaveLength(2);
  });

  test("a call that is cancelled throws", async () => {
    const stop = new AbortController();
    const running = callFromOpenAi(
      source,
      { id: "c", function: { name: "hang", arguments: "{}" } },
      { signal: stop.signal },
    );
    stop.abort();
    await expect(running).rejects.toMatchObject({ code: "CANCELLED" });
  });
});

test("an episode is played by a model's calls, step by step", async () => {
  await using environment = frozenLake();
  const episode = await environment.start({ seed: 1 });
  const source = toolsOf(environment, episode);
  expect(openAiTools(await source.listTools()).map(({ function: { name } }) => name)).toEqual(["lake_move"]);
  const call = { name: "lake_move", arguments: '{"action":"DOWN"}' };
  const answer = await callFromOpenAi(source, { id: "c", function: call });
  expect(answer.content).not.toMatch(/^Error/);
  expect(episode.stepCount).toBe(1);
});

test("every name is mapped to one that fits, the same each time, and no two to the same", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.stringMatching(/^[A-Za-z0-9_.-]{1,128}$/), { maxLength: 30 }), (names) => {
      const mapped = names.map(modelName);
      expect(mapped.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true);
      expect(new Set(mapped).size).toBe(names.length);
      expect(names.map(modelName)).toEqual(mapped);
    }),
    { numRuns: process.env["BIPLANE_SOAK"] ? 5000 : 100 },
  );
});
