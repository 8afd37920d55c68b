import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { allow, deny, environment, server, text, tool, reply } from "biplane";
import type { Server, ServerOptions } from "biplane";
import type { AuditEntry } from "../../packages/core/src/call/audit.ts";
import { javascriptEngine } from "../../packages/biplane/src/code/javascript/engine.ts";
import { codeTool } from "../../packages/biplane/src/code/code-tool.ts";
import type { CodeAnswer, CodeToolOptions } from "../../packages/biplane/src/code/code-tool.ts";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";

const engine = javascriptEngine({ isolation: "thread" });
afterAll(() => engine.close());

function shop(options: Partial<ServerOptions> = {}, handler: Partial<CodeToolOptions> = {}): Server {
  const stock = new Map([["apple", 3]]);
  const gateway = server({
    limits: false,
    name: "shop",
    version: "1.0.0",
    ...options,
    tools: [
      tool({
        name: "read_text_file",
        description: "Reads a file",
        input: z.object({ path: z.string(), head: z.number().optional() }),
        run: ({ path, head }) => `${path}\nneedle ${head ?? "all"}\nhay`,
      }),
      tool({
        name: "count",
        description: "How many there are",
        input: z.object({ item: z.string() }),
        run: ({ item }) => ({ item, left: stock.get(item) ?? 0 }),
      }),
      tool({
        name: "slow",
        description: "Answers later",
        input: z.object({ word: z.string() }),
        run: async ({ word }) => `${word}!`,
      }),
      tool({ name: "shown", description: "An answer of parts", run: () => reply(text("one text")) }),
      tool({ name: "browser.open", description: "Opens a page", run: () => "opened" }),
      tool({
        name: "fail",
        description: "Fails",
        run: () => {
          throw new Error("out of order");
        },
      }),
    ],
  });
  codeTool(gateway, { engines: [engine], ...handler });
  return gateway;
}

const run = async (gateway: Server, code: string, options: object = {}): Promise<CodeAnswer> =>
  (await gateway.call("run_code", { code }, options)) as CodeAnswer;

test("tools are functions, by name and by position", async () => {
  const gateway = shop();
  const code = `
    const text = await read_text_file('~/file.txt', {head: 100});
    return [text.split("\\n").filter((line) => line.includes("needle")), await count({ item: "apple" }), await count("pear")]`;
  const { result, error, calls } = await run(gateway, code);
  expect(error).toBeNull();
  expect(result).toEqual([["needle 100"], { item: "apple", left: 3 }, { item: "pear", left: 0 }]);
  expect(calls).toEqual([
    { tool: "read_text_file", input: { path: "~/file.txt", head: 100 }, outcome: "done" },
    { tool: "count", input: { item: "apple" }, outcome: "done" },
    { tool: "count", input: { item: "pear" }, outcome: "done" },
  ]);
});

test("code finds its tools by itself", async () => {
  const code = `({ names: list_tools().filter((name) => name.includes("browser")), found: search_tools("open page")[0].name,
    schema: get_tool_schema("count").input_schema.required, odd: await tools["browser.open"](), same: await browser_open() })`;
  const { result } = await run(shop(), code);
  const odd = { odd: "opened", same: "opened" };
  expect(result).toEqual({ names: ["browser.open"], found: "browser.open", schema: ["item"], ...odd });
});

test("what fails can be caught, with its code, and what is not caught ends the code", async () => {
  const gateway = shop();
  gateway.policy((_, name) => (name === "count" ? deny("not today") : allow()));
  const code = `
    const codes = [];
    for (const attempt of [() => fail(), () => count("apple"), () => read_text_file({ pth: 1 }), () => count(1, 2)]) {
      try { await attempt() } catch (error) { codes.push([error.code, error instanceof ToolError]) }
    }
    codes`;
  expect((await run(gateway, code)).result).toEqual(
    ["EXECUTION_ERROR", "POLICY_DENIED", "INVALID_INPUT", "INVALID_INPUT"].map((code) => [code, true]),
  );
  const { error, calls, result } = await run(gateway, "console.log('before'); await fail(); 5");
  expect(result).toBeNull();
  expect(error).toMatchObject({ kind: "thrown", name: "ToolError", message: "out of order", code: "EXECUTION_ERROR" });
  expect(calls).toEqual([{ tool: "fail", input: {}, outcome: "EXECUTION_ERROR" }]);
});

test("calls may run concurrently, and calls that are not awaited are still part of the action", async () => {
  const { result, calls } = await run(
    shop(),
    `slow("nobody"); await Promise.all(["a", "b"].map((word) => slow(word)))`,
  );
  expect(result).toEqual(["a!", "b!"]);
  expect(calls.map(({ outcome }) => outcome)).toEqual(["done", "done", "done"]);
});

test("a value is what the tool gave: structured, else a single text, else its parts", async () => {
  const { result } = await run(shop(), "[await shown(), await slow('x'), (await count('apple')).left]");
  expect(result).toEqual(["one text", "x!", 3]);
});

test("what code defines stays for the next run of the same session, and of no other", async () => {
  const gateway = shop();
  await run(gateway, "const names = ['a']; function twice(x) { return x + x }", { session: "one" });
  expect((await run(gateway, "const names = ['b', twice('c')]; names", { session: "one" })).result).toEqual([
    "b",
    "cc",
  ]);
  expect((await run(gateway, "typeof twice", { session: "two" })).result).toBe("undefined");
  expect((await run(gateway, "typeof twice")).result).toBe("undefined");
  const fresh = shop({}, { keepState: false });
  await run(fresh, "var here = 1", { session: "one" });
  expect((await run(fresh, "typeof here", { session: "one" })).result).toBe("undefined");
});

test("TypeScript runs without its types", async () => {
  const code = `interface Left { left: number }\nconst { left }: Left = await count("apple") as Left;\nleft satisfies number`;
  expect(await run(shop(), code)).toMatchObject({ result: 3, error: null });
});

test("every inner call is decided, watched and audited by itself, under the route code", async () => {
  const seen: string[] = [];
  const entries: AuditEntry[] = [];
  const gateway = shop({ audit: { record: (entry) => void entries.push(entry) }, secrets: { KEY: "a-long-secret" } });
  gateway.watch({ onStart: ({ tool: name, route }) => seen.push(`${name} ${route}`) });
  const { stdout } = await run(gateway, `console.log(await slow("a-long-secret"))`, { route: "mcp" });
  expect(stdout).toBe("[REDACTED:KEY]!\n");
  expect(seen).toEqual(["run_code mcp", "slow code"]);
  expect(entries.map(({ tool: name, route, outcome }) => [name, route, outcome])).toEqual([
    ["slow", "code", "done"],
    ["run_code", "mcp", "done"],
  ]);
});

test("code alone: the tools can be called from code and in no other way", async () => {
  const gateway = shop({}, { alone: true });
  gateway.policy((_, name) => (name === "slow" ? deny("no") : allow()));
  expect(Array.from(gateway.tools, ({ name }) => name)).toEqual(["run_code"]);
  await expect(gateway.call("count", { item: "apple" })).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
  expect((await run(gateway, "(await count('apple')).left")).result).toBe(3);
  expect((await run(gateway, "await slow('x')")).error).toMatchObject({ code: "POLICY_DENIED" });
  gateway.add(tool({ name: "late", description: "Came later", run: () => "late" }));
  expect(Array.from(gateway.tools, ({ name }) => name)).toEqual(["run_code"]);
  expect((await run(gateway, "await late()")).result).toBe("late");
});

test("the description has the tools' signatures, and follows the tools", () => {
  const gateway = shop();
  expect(gateway.find("run_code")?.description).toContain(
    "count({ item: string }): Promise<any> // How many there are",
  );
  expect(gateway.find("run_code")?.description).toContain("read_text_file({ path: string, head?: number })");
  gateway.add(tool({ name: "late", description: "Came later", run: () => 1 }));
  expect(gateway.find("run_code")?.description).toContain("late(): Promise<any> // Came later");
});

test("an action that takes too long ends with a clear error, and its calls with it", async () => {
  let cancelled = "";
  const gateway = shop({}, { limits: { wallMs: 500 } });
  gateway.add(
    tool({
      name: "hang",
      description: "Never answers",
      timeoutMs: 60_000,
      run: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error((cancelled = "cancelled"))));
        }),
    }),
  );
  const { error, stdout } = await run(gateway, "console.log('before'); await hang()");
  expect(error).toMatchObject({
    kind: "limit",
    message: "The action timed out after 500 ms. Raise the wallMs limit if it needs longer.",
  });
  expect([stdout, cancelled]).toEqual(["before\n", "cancelled"]);
});

test("a cancelled action cancels its calls", async () => {
  const gateway = shop();
  const controller = new AbortController();
  let aborted = false;
  gateway.add(
    tool({
      name: "hang",
      description: "Never answers",
      run: (_, { signal }) => {
        signal.addEventListener("abort", () => (aborted = true));
        controller.abort();
        return new Promise(() => undefined);
      },
    }),
  );
  await expect(run(gateway, "await hang()", { signal: controller.signal })).rejects.toMatchObject({
    code: "CANCELLED",
  });
  await expect.poll(() => aborted).toBe(true);
});

test("the same plan as calls and as code gives the same state, rewards and records", async () => {
  const plan = ["DOWN", "DOWN", "RIGHT", "UP", "LEFT", "DOWN"];
  const play = async (asCode: boolean) => {
    const entries: AuditEntry[] = [];
    const lake = environment({
      ...frozenLake().rules.options,
      audit: { record: (entry: AuditEntry) => void entries.push(entry) },
    } as never);
    codeTool(lake.server, { engines: [engine] });
    const episode = await lake.start({ seed: 7, config: { is_slippery: true } });
    if (asCode) {
      const code = `for (const action of ${JSON.stringify(plan)}) { try { await lake_move(action) } catch {} }`;
      await lake.call(episode, "run_code", { code });
    } else {
      for (const action of plan) await lake.call(episode, "lake_move", { action }).catch(() => undefined);
    }
    const { state, stepCount, totalReward, terminated, truncated } = episode;
    const records = entries
      .filter(({ tool: name }) => name === "lake_move")
      .map(({ tool: name, input, outcome, message, principal }) => ({ name, input, outcome, message, principal }));
    return { state, stepCount, totalReward, terminated, truncated, random: episode.random.save(), records };
  };
  const asCode = await play(true);
  expect(asCode).toEqual(await play(false));
  expect(asCode.records).toHaveLength(plan.length);
});

test("an action is worth what its steps are worth together, and its parts too", async () => {
  const counting = environment({
    name: "counting",
    version: "1.0.0",
    start: () => ({ count: 0 }),
    observe: ({ count }) => ({ count }),
    tools: (make) => ({
      add: make({ description: "Adds one", run: async (_, { state }) => void state.count++ }),
    }),
    reward: ({ after }) => ({ base: after.count, bonus: 0.5 }),
    status: ({ count }) => ({ terminated: count >= 4 }),
  });
  codeTool(counting.server, { engines: [engine] });
  const episode = await counting.start({ seed: 1 });
  await counting.call(episode, "run_code", { code: "await Promise.all([add(), add(), add()])" });
  expect(episode.state).toEqual({ count: 3 });
  expect(episode.last).toEqual({ reward: 7.5, parts: { base: 6, bonus: 1.5 } });
  expect([episode.stepCount, episode.totalReward]).toEqual([3, 7.5]);
  const late = (await counting.call(episode, "run_code", { code: "await add(); await add()" })) as CodeAnswer;
  expect(late.error).toMatchObject({ code: "EPISODE_ENDED" });
  expect([episode.stepCount, episode.terminated, episode.last.reward]).toEqual([4, true, 4.5]);
});

test("what code has defined is part of an episode's snapshot and of its forks", async () => {
  const lake = frozenLake();
  codeTool(lake.server, { engines: [engine] });
  const episode = await lake.start({ seed: 3 });
  await lake.call(episode, "run_code", { code: "let notes = ['start']; const add = (note) => notes.push(note)" });
  const kept = JSON.parse(JSON.stringify(await lake.episodes.snapshot(episode)));
  const fork = await lake.episodes.fork(episode);
  await lake.call(episode, "run_code", { code: "add('original')" });
  const result = async (each: typeof episode) =>
    ((await lake.call(each, "run_code", { code: "notes" })) as CodeAnswer).result;
  expect(await result(fork)).toEqual(["start"]);
  expect(await result(episode)).toEqual(["start", "original"]);
  expect(await result(await lake.episodes.restore(kept))).toEqual(["start"]);
  for (const each of lake.episodes) await lake.episodes.end(each);
});
