import fc from "fast-check";
import { expect, test } from "vitest";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { openaiAgent } from "../../packages/biplane/src/rollout/agent/openai.ts";
import type { OpenAIOptions } from "../../packages/biplane/src/rollout/agent/openai.ts";
import { tokenLines } from "../../packages/biplane/src/rollout/export/training-lines.ts";
import { TokenWriter, tokenSamples } from "../../packages/biplane/src/rollout/message-tokens.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { scoreTraces, totalReward } from "../../packages/biplane/src/rollout/score/scorer.ts";
import { ModelServer, walker } from "./model-server.ts";
import type { Asked, Said } from "./model-server.ts";
import { playAll, solution } from "./playing.ts";

const quick = { sleep: async () => undefined };

async function playWith(server: ModelServer, more: Partial<OpenAIOptions> = {}) {
  await using lake = frozenLake();
  const agent = openaiAgent({ model: "test-model", baseUrl: server.baseUrl, ...quick, ...more });
  const [row] = await playAll(lake, seedRows([42]), { agent });
  return row ?? expect.fail();
}

/** A model whose prompts have a token per message, and whose replies have two. */
function counting(say: (asked: Asked) => Said): (asked: Asked) => Said {
  return (asked) => {
    const promptIds = asked.messages.flatMap(({ role }, at) =>
      role === "assistant" ? [at * 10, at * 10 + 1] : [at * 10],
    );
    const at = asked.messages.length * 10;
    const usage = { prompt_tokens: promptIds.length, completion_tokens: 2, total_tokens: promptIds.length + 2 };
    return { ...say(asked), promptIds, ids: [at, at + 1], logprobs: [-0.5, -0.25], usage };
  };
}

test("token ids and log-probabilities are kept in the trace, each prompt once, and exported with a mask", async () => {
  await using server = await ModelServer.open({ say: counting(walker(solution)) });
  const row = await playWith(server, { tokenIds: true, logprobs: true });
  expect(server.asked[0]).toMatchObject({ return_token_ids: true, logprobs: true });
  expect(server.asked[0]?.stream).toBeUndefined();
  expect(JSON.stringify(server.asked)).not.toContain("prompt_ids");
  const [first, second] = row.trace.messages.flatMap(({ tokens }) => tokens ?? []);
  expect(first).toEqual({ shared: 0, prompt_ids: [0], ids: [10, 11], logprobs: [-0.5, -0.25] });
  expect(second).toMatchObject({ shared: 3, prompt_ids: [20], ids: [30, 31] });
  const [line, ...more] = tokenLines(await scoreTraces([row.trace], totalReward));
  expect(more).toEqual([]);
  expect(line).toMatchObject({ row: "seed_42", sample: 0, reward: 1, masked: false, prompt_ids: [0] });
  const start = (column: string) => (line?.[column] as number[] | undefined)?.slice(0, 5);
  expect(start("completion_ids")).toEqual([10, 11, 20, 30, 31]);
  expect(start("env_mask")).toEqual([1, 1, 0, 1, 1]);
  expect(start("logprobs")).toEqual([-0.5, -0.25, 0, -0.5, -0.25]);
});

test("a server without token ids gives log-probabilities with the texts of the tokens", async () => {
  await using server = await ModelServer.open({ say: (asked) => ({ ...walker(solution)(asked), logprobs: [-1] }) });
  const row = await playWith(server, { logprobs: true });
  expect(server.asked[0]).toMatchObject({ stream: true, logprobs: true });
  expect(row.trace.messages.find(({ tokens }) => tokens)?.tokens).toEqual({ texts: ["t0"], logprobs: [-1] });
  expect(tokenLines(await scoreTraces([row.trace], totalReward))).toEqual([]);
});

test("ids are dropped if the server lost some of them", async () => {
  const say = (asked: Asked) => ({ ...counting(walker(solution))(asked), ids: [1], logprobs: [-1, -2] });
  await using server = await ModelServer.open({ say });
  const row = await playWith(server, { tokenIds: true });
  expect(row.trace.messages.find(({ tokens }) => tokens)?.tokens).toEqual({ texts: ["t0", "t1"], logprobs: [-1, -2] });
});

test("what was written is read again, for any prompts and replies", () => {
  const ids = fc.array(fc.nat(3), { maxLength: 5 });
  fc.assert(
    fc.property(fc.array(fc.tuple(ids, fc.boolean(), fc.array(fc.nat(3), { minLength: 1, maxLength: 3 }))), (turns) => {
      const writer = new TokenWriter();
      let sequence: number[] = [];
      const exact = turns.map(([more, isContinued, reply]) => {
        const promptIds = isContinued ? [...sequence, ...more] : more;
        sequence = [...promptIds, ...reply];
        return { promptIds, ids: reply };
      });
      const messages = exact.map((turn) => ({ role: "assistant", tokens: writer.write(turn) }));
      const samples = tokenSamples(messages);
      const written = samples.map(({ completionIds, mask }) => completionIds.filter((_, at) => mask[at] === 1)).flat();
      expect(written).toEqual(exact.flatMap((turn) => turn.ids));
      // Every sequence is the last prompt and reply of its turns.
      const ends = exact.map(({ promptIds, ids: reply }) => [...promptIds, ...reply].join());
      for (const { promptIds, completionIds } of samples)
        expect(ends).toContain([...promptIds, ...completionIds].join());
    }),
  );
});

test("cached tokens have their own price, and a price that the server tells takes precedence", async () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 10,
    total_tokens: 110,
    prompt_tokens_details: { cached_tokens: 60 },
  };
  const prices = { input: 10, output: 20, cachedInput: 1 };
  await using cached = await ModelServer.open({ say: () => ({ content: "No.", usage }) });
  const one = await playWith(cached, { prices });
  expect(one.trace.cost).toBeCloseTo((40 * 10 + 60 * 1 + 10 * 20) / 1e6, 12);
  expect(one.trace.usage).toMatchObject({ prompt_tokens: 100, cached_tokens: 60 });
  await using router = await ModelServer.open({ say: () => ({ content: "No.", usage: { ...usage, cost: 0.5 } }) });
  expect((await playWith(router, { prices })).trace.cost).toBe(0.5);
});

test.each<[string, Record<string, string>, (ms: number) => boolean]>([
  ["seconds", { "retry-after": "2" }, (ms) => ms === 2000],
  ["milliseconds", { "retry-after-ms": "1500", "retry-after": "2" }, (ms) => ms === 1500],
  ["a date", { "retry-after": new Date(Date.now() + 3_600_000).toUTCString() }, (ms) => ms === 60_000],
  ["nonsense", { "retry-after": "soon" }, (ms) => ms === 125],
])("a server may say in %s when to ask again", async (_, headers, isRight) => {
  const pauses: number[] = [];
  const trouble = (request: number) => (request === 0 ? { status: 429, headers } : undefined);
  await using server = await ModelServer.open({ say: walker(solution), trouble });
  const row = await playWith(server, { sleep: async (ms) => void pauses.push(ms), random: () => 0 });
  expect(row.trace.totalReward).toBe(1);
  expect([pauses.length, isRight(pauses[0] ?? -1)]).toEqual([1, true]);
});
