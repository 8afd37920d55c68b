import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { server, tool } from "biplane";
import type { Principal, Server } from "biplane";
import { Shares } from "../../packages/core/src/call/shares.ts";
import { codeTurns } from "../../packages/biplane/src/code/code-shares.ts";
import { codeTool } from "../../packages/biplane/src/code/code-tool.ts";
import type { CodeAnswer, CodeToolOptions } from "../../packages/biplane/src/code/code-tool.ts";
import type { CodeEngine } from "../../packages/biplane/src/code/engine.ts";
import { javascriptEngine } from "../../packages/biplane/src/code/javascript/engine.ts";
import { pythonEngine } from "../../packages/biplane/src/code/python/engine.ts";
import { starlarkEngine } from "../../packages/biplane/src/code/starlark/engine.ts";

const megabyte = 2 ** 20;
const token = (id: string): Principal => ({ kind: "token", id, scopes: [] });
const [mallory, ada] = [token("mallory"), token("ada")];

interface EngineOptions {
  readonly workers: number;
  readonly keptBytes?: Shares;
}

interface LanguageCase {
  readonly open: (options: EngineOptions) => CodeEngine;
  readonly endless: string;
  readonly wait: string;
  /** Keeps about this many megabytes. */
  readonly hoard: (megabytes: number) => string;
  readonly length: string;
}

const languages: Record<string, LanguageCase> = {
  javascript: {
    open: (options) => javascriptEngine(options),
    endless: "for (;;);",
    wait: "await hang(); 1",
    hoard: (megabytes) => `var kept = "x".repeat(${megabytes * megabyte}); kept.length`,
    length: "kept.length",
  },
  python: {
    open: (options) => pythonEngine({ ...options, warm: 0 }),
    endless: "while True: pass",
    wait: "hang()\n1",
    hoard: (megabytes) => `kept = b"x" * ${megabytes * megabyte}\nlen(kept)`,
    length: "len(kept)",
  },
  starlark: {
    open: (options) => starlarkEngine(options),
    endless: "while True: pass",
    wait: "hang()\n1",
    hoard: (megabytes) => `kept = "x" * ${megabytes * megabyte}\nlen(kept)`,
    length: "len(kept)",
  },
};

/** A tool that answers when the test says so. */
class Hanging {
  readonly #waiting: (() => void)[] = [];
  #onCall: (() => void) | undefined;
  readonly tool = tool({
    name: "hang",
    description: "Waits",
    timeoutMs: 600_000,
    run: () =>
      new Promise<string>((resolve) => {
        this.#waiting.push(() => resolve("late"));
        this.#onCall?.();
      }),
  });

  async calls(count: number): Promise<void> {
    while (this.#waiting.length < count) await new Promise<void>((called) => (this.#onCall = called));
  }

  answerAll(): void {
    for (const answer of this.#waiting.splice(0)) answer();
  }
}

function gatewayWith(engine: CodeEngine, options: Partial<CodeToolOptions> & { hanging?: Hanging } = {}): Server {
  const { hanging = new Hanging(), ...rest } = options;
  const gateway = server({ limits: false, name: "shared", version: "1", tools: [hanging.tool] });
  codeTool(gateway, { engines: [engine], ...rest });
  return gateway;
}

const runAs = (gateway: Server, principal: Principal, code: string, session?: string): Promise<CodeAnswer> =>
  gateway.call("run_code", { code }, { principal, route: "mcp", ...(session && { session }) }) as Promise<CodeAnswer>;

describe.each(Object.entries(languages))("in %s", (_, { open, endless, wait, hoard, length }) => {
  test("the endless loops of one caller do not make another's action wait for them", async () => {
    await using engine = open({ workers: 3 });
    const gateway = gatewayWith(engine, { limits: { cpuMs: 400 }, actions: new Shares("actions", unlimited) });
    expect((await runAs(gateway, ada, "1 + 1")).result).toBe(2);
    let ended = 0;
    const loops = Array.from({ length: 43 }, () => runAs(gateway, mallory, endless).then(() => void ended++));
    await Promise.race(loops);
    const before = ended;
    for (let n = 0; n < 3; n++) expect((await runAs(gateway, ada, "1 + 1")).result).toBe(2);
    // Two of the three workers run loops of 400 ms, so that most of the others are still waiting.
    expect(ended - before).toBeLessThan(20);
    await gateway.close();
    await engine.close();
    await Promise.allSettled(loops);
  });

  test("actions that wait let others compute, and go on afterwards", async () => {
    const hanging = new Hanging();
    await using engine = open({ workers: 1 });
    const gateway = gatewayWith(engine, { hanging });
    const waiting = runAs(gateway, mallory, wait);
    await hanging.calls(1);
    expect((await runAs(gateway, ada, "1 + 1")).result).toBe(2);
    hanging.answerAll();
    expect((await waiting).result).toBe(1);
  });

  test("a caller keeps no more state than its share, whatever it opens, and others keep theirs", async () => {
    const keptBytes = new Shares("bytes of code state", { perCaller: 12 * megabyte, total: 100 * megabyte });
    await using engine = open({ workers: 2, keptBytes });
    const gateway = gatewayWith(engine);
    expect((await runAs(gateway, ada, hoard(4), "a")).result).toBe(4 * megabyte);
    const outcomes: CodeAnswer[] = [];
    for (let n = 0; n < 6; n++) {
      await runAs(gateway, mallory, hoard(4), `m${n}`);
      // What is kept is known after the action, so its fault may come with the next one.
      outcomes.push(await runAs(gateway, mallory, "1", `m${n}`));
    }
    const faults = outcomes.filter(({ error }) => error !== null);
    expect(keptBytes.largest).toBeLessThanOrEqual(12 * megabyte);
    expect(keptBytes.refused).toBeGreaterThan(0);
    for (const { error } of faults) expect(error?.message).toContain("One caller can hold at most");
    expect((await runAs(gateway, ada, length, "a")).result).toBe(4 * megabyte);
    await gateway.close();
    await expect.poll(() => keptBytes.total).toBe(0);
  });

  test("a caller has no more than so many actions at once", async () => {
    const hanging = new Hanging();
    const actions = new Shares("code actions at once", { perCaller: 3, total: 10 });
    await using engine = open({ workers: 3 });
    const gateway = gatewayWith(engine, { hanging, actions });
    const waiting = Array.from({ length: 3 }, () => runAs(gateway, mallory, wait));
    await expect(runAs(gateway, mallory, "1")).rejects.toMatchObject({ code: "CAPACITY" });
    expect((await runAs(gateway, ada, "1 + 1")).result).toBe(2);
    const answering = setInterval(() => hanging.answerAll(), 10);
    expect((await Promise.all(waiting)).map(({ result }) => result)).toEqual([1, 1, 1]);
    clearInterval(answering);
    expect(actions.total).toBe(0);
  });
});

test("parked actions are charged to their caller, with the arguments of their calls", async () => {
  const hanging = new Hanging();
  const keptBytes = new Shares("bytes of code state", { perCaller: 10 * megabyte, total: 100 * megabyte });
  await using engine = javascriptEngine({ workers: 2, keptBytes });
  const gateway = gatewayWith(engine, { hanging });
  const parked = Array.from({ length: 4 }, () =>
    runAs(gateway, mallory, `const data = "x".repeat(${4 * megabyte}); await hang(); data.length`),
  );
  const first = await Promise.race(parked);
  expect(first.error).toMatchObject({ kind: "limit" });
  expect(first.error?.message).toContain("One caller can hold at most");
  expect(keptBytes.largest).toBeLessThanOrEqual(10 * megabyte);
  const answering = setInterval(() => hanging.answerAll(), 10);
  const results = (await Promise.all(parked)).map(({ result }) => result);
  clearInterval(answering);
  expect(results.filter((result) => result === 4 * megabyte).length).toBeGreaterThan(0);
  expect(keptBytes.total).toBe(0);
});

test("the oldest session of a caller makes way for its newest, and other callers keep theirs", async () => {
  await using engine = javascriptEngine({ isolation: "thread" });
  const gateway = gatewayWith(engine);
  await runAs(gateway, ada, "var mine = 1", "only");
  for (let n = 0; n < 40; n++) await runAs(gateway, mallory, `var mine = ${n}`, `s${n}`);
  expect((await runAs(gateway, mallory, "typeof mine", "s0")).result).toBe("undefined");
  expect((await runAs(gateway, mallory, "mine", "s39")).result).toBe(39);
  expect((await runAs(gateway, ada, "mine", "only")).result).toBe(1);
});

test.runIf(process.platform === "linux")("idle Python sessions hold few interpreters, and lose nothing", async () => {
  await using engine = pythonEngine({ workers: 2, warm: 0, idle: 2 });
  const gateway = gatewayWith(engine);
  await runAs(gateway, mallory, "x = -1", "first");
  const before = threadCount();
  for (let n = 0; n < 10; n++) await runAs(gateway, mallory, `x = ${n}`, `s${n}`);
  await expect.poll(() => threadCount() - before).toBeLessThanOrEqual(1);
  for (let n = 0; n < 10; n++) expect((await runAs(gateway, mallory, "x", `s${n}`)).result).toBe(n);
  expect((await runAs(gateway, mallory, "x", "first")).result).toBe(-1);
});

test("a caller that uses several languages computes no more at once than with one", async () => {
  let begun = 0;
  let onBegun: () => void = () => undefined;
  const isFull = new Promise<void>((resolve) => (onBegun = resolve));
  const begin = tool({ name: "begin", run: () => (++begun >= codeTurns.size - 1 ? onBegun() : undefined) });
  await using javascript = javascriptEngine();
  await using starlark = starlarkEngine();
  const gateway = server({ limits: false, name: "shared", version: "1", tools: [begin] });
  codeTool(gateway, { engines: [javascript, starlark] });
  const run = (principal: Principal, language: string, code: string) =>
    gateway.call("run_code", { code, language }, { principal, route: "mcp" }) as Promise<CodeAnswer>;
  let ended = 0;
  const loops = Array.from({ length: 2 * codeTurns.size }, (_, at) =>
    (at % 2 === 0
      ? run(mallory, "javascript", "await begin(); for (;;);")
      : run(mallory, "starlark", "begin()\nwhile True: pass")
    ).finally(() => ended++),
  );
  await isFull;
  expect((await run(ada, "javascript", "1 + 1")).result).toBe(2);
  expect((await run(ada, "starlark", "1 + 1")).result).toBe(2);
  // On a slow machine, the time limit may have ended some, and others have begun.
  expect(begun - ended).toBeLessThanOrEqual(codeTurns.size - 1);
  await gateway.close();
  await Promise.all([javascript.close(), starlark.close()]);
  await Promise.allSettled(loops);
});

test.skipIf(process.platform !== "linux").each([
  ["javascript", "await begin(); for (;;);"],
  ["starlark", "begin()\nwhile True: pass"],
])("a worker that is ended with the %s in it is replaced before the next action needs it", async (language, code) => {
  const stop = new AbortController();
  const before = new Set<string>();
  const begin = tool({
    name: "begin",
    run: () => {
      for (const id of threads()) before.add(id);
      setImmediate(() => stop.abort());
    },
  });
  await using engine = (languages[language] as LanguageCase).open({ workers: 2 });
  const gateway = server({ limits: false, name: "shared", version: "1", tools: [begin] });
  codeTool(gateway, { engines: [engine] });
  await expect(gateway.call("run_code", { code }, { signal: stop.signal })).rejects.toThrow(/cancel|abort/i);
  const isReplaced = () => threads().some((id) => !before.has(id)) && threads().length >= before.size;
  await expect.poll(isReplaced).toBe(true);
  await gateway.close();
});

const unlimited = { perCaller: Infinity, total: Infinity };

function threads(): string[] {
  return readdirSync("/proc/self/task");
}

function threadCount(): number {
  return threads().length;
}
