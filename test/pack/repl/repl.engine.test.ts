import { serverOf as coreOf } from "@biplane/core/internal";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { environment, server } from "biplane";
import type { Server } from "biplane";
import { LiveCall } from "../../../packages/core/src/call/live-call.ts";
import type { Episode } from "../../../packages/core/src/environment/episode.ts";
import { replPack } from "../../../packages/biplane/src/pack/repl/pack.ts";
import type { ReplPackOptions } from "../../../packages/biplane/src/pack/repl/options.ts";
import { isReply } from "../../../packages/core/src/tool/content.ts";

const serverOf = (options: ReplPackOptions = {}) =>
  server({ name: "repl", version: "1", packs: [replPack(options)], limits: false });

/** For code that ends by itself, on however slow a machine, and for code that does not. */
let gateway: Server;
let limited: Server;
beforeAll(() => {
  gateway = serverOf({ cpuMs: 60_000 });
  limited = serverOf({ cpuMs: 1000 });
});
afterAll(async () => {
  await gateway.close();
  await limited.close();
});

interface Who {
  readonly session?: string | undefined;
  readonly id?: string;
  readonly on?: Server;
  readonly cancelled?: Promise<unknown>;
}

/** What a call answers to programs and to readers. */
async function run(tool: string, code: string, { session = "one", id = "ada", on = gateway, cancelled }: Who = {}) {
  const input = tool === "repl_reset" ? {} : { code };
  const agent = { agentId: "test", model: undefined, requestId: "1", metadata: {} };
  const call = new LiveCall({
    tool,
    input,
    route: "mcp",
    agent,
    principal: { kind: "token", id, scopes: [] },
    session,
  });
  void cancelled?.then(() => call.cancel());
  const outcome = await coreOf(on).perform(call);
  if (outcome.status !== "done") {
    return { text: outcome.status === "failed" ? `${outcome.error.code}: ${outcome.error.message}` : outcome.status };
  }
  const text = outcome.content.map((part) => (part.type === "text" ? part.text : part.type)).join("\n");
  return {
    text,
    ...(structuredOf(outcome.value) as { value?: unknown; stdout?: string; stderr?: string; error?: { kind: string } }),
  };
}

const structuredOf = (value: unknown) => (isReply(value) ? value.structured : value);

const languages = [
  {
    tool: "python_run",
    define: "kept = [1]\ndef add(n):\n  kept.append(n)",
    use: "add(2)\nkept",
    print: "import sys\nprint('said')\nprint('warned', file=sys.stderr)\n6 * 7",
    fail: "{}['missing']",
    failure: /Traceback[^]*KeyError: 'missing'/,
    broken: "1 +",
    endless: "while True: pass",
    loud: "print('x' * 100_000)",
    large: "b = bytearray(500_000_000)",
    reach: "open('/etc/passwd').read()",
  },
  {
    tool: "javascript_run",
    define: "let kept = [1]; const add = (n) => { kept.push(n) }",
    use: "add(2); kept",
    print: "console.log('said'); console.error('warned'); 6 * 7",
    fail: "null.missing",
    failure: /TypeError: [^]*action/,
    broken: "1 +",
    endless: "while (true);",
    loud: "console.log('x'.repeat(100_000))",
    large: "const all = []; while (true) all.push(new Array(100_000).fill(1.5))",
    reach: "process.exit(1)",
  },
];

describe.each(languages)("$tool", ({ tool, ...code }) => {
  test("answers with what was printed and the value of the last expression", async () => {
    const told = await run(tool, code.print);
    expect(told).toMatchObject({ value: 42, stdout: "said\n", stderr: "warned\n", truncated: false, error: null });
    expect(told.text).toBe("said\nwarned\n42");
  });

  test("keeps what was defined for the same session of the same caller, and for no other", async () => {
    await run(tool, code.define, { session: "mine" });
    expect((await run(tool, code.use, { session: "mine" })).value).toEqual([1, 2]);
    expect((await run(tool, "kept", { session: "other" })).error).toMatchObject({ kind: "thrown" });
    expect((await run(tool, "kept", { session: "mine", id: "eve" })).error).toMatchObject({ kind: "thrown" });
    await run("repl_reset", "", { session: "mine" });
    expect((await run(tool, "kept", { session: "mine" })).error).toMatchObject({ kind: "thrown" });
  });

  test("shows an error as the language does, and goes on", async () => {
    await run(tool, code.define);
    const failed = await run(tool, code.fail);
    expect(failed.text).toMatch(code.failure);
    expect(failed.error).toMatchObject({ kind: "thrown" });
    expect((await run(tool, code.broken)).error).toMatchObject({ kind: "syntax" });
    expect((await run(tool, "kept")).value).toEqual([1]);
  });

  test("ends code that computes too long, takes too much or says too much", async () => {
    await run(tool, "1", { on: limited });
    expect((await run(tool, code.endless, { on: limited })).error).toMatchObject({ kind: "limit" });
    expect((await run(tool, code.large, { on: limited })).error?.kind).toMatch(/limit|thrown/);
    const loud = await run(tool, code.loud, { on: limited });
    expect(loud).toMatchObject({ truncated: true, error: null });
    expect(loud.stdout?.length).toBeLessThan(70_000);
    expect((await run(tool, "6 * 7", { on: limited })).value).toBe(42);
  });

  test("has nothing of the machine in reach", async () => {
    const reached = await run(tool, code.reach);
    expect(reached.error).toMatchObject({ kind: "thrown" });
    expect(reached.text).not.toContain("root:");
  });

  test("runs the code of one session in turn, and ends what a caller cancels", async () => {
    await run(tool, code.define, { session: "turns" });
    const uses = await Promise.all([1, 2, 3].map(() => run(tool, code.use, { session: "turns" })));
    expect(uses.map(({ value }) => (value as number[]).length)).toEqual([2, 3, 4]);
    await using patient = serverOf({ wallMs: 600_000, cpuMs: 600_000 });
    expect((await run(tool, code.endless, { on: patient, cancelled: Promise.resolve() })).text).toMatch(/CANCELLED/);
    expect((await run(tool, "6 * 7", { on: patient })).value).toBe(42);
    const soon = new Promise((resolve) => setTimeout(resolve, 100));
    expect((await run(tool, code.endless, { on: patient, cancelled: soon })).text).toMatch(/CANCELLED/);
    expect((await run(tool, "6 * 7", { on: patient })).value).toBe(42);
  });

  test("ends code that takes too long, whatever it waits for", async () => {
    await using hasty = serverOf({ wallMs: 300, cpuMs: 60_000 });
    expect((await run(tool, code.endless, { on: hasty })).error).toMatchObject({ kind: "limit" });
  });
});

test("only so many callers have a session, and one that is not used is forgotten", async () => {
  await using small = serverOf({ maxSessions: 1, idleMs: 200, languages: ["javascript"] });
  await run("javascript_run", "let kept = 1", { on: small });
  expect((await run("javascript_run", "1", { on: small, session: "two" })).text).toBe(
    "CAPACITY: One caller can hold at most 1 javascript sessions. Release some, or try again later.",
  );
  await vi.waitFor(
    async () => expect((await run("javascript_run", "2", { on: small, session: "two" })).value).toBe(2),
    5000,
  );
  expect([...small.tools].map(({ name }) => name)).toEqual(["javascript_run", "repl_reset"]);
});

test("one principal has a fifth of the sessions, so that others find some", async () => {
  await using shared = serverOf({ maxSessions: 5, languages: ["javascript"] });
  const open = async (id: string, session: string) => {
    const principal = { kind: "token", id, scopes: [] } as const;
    return shared.call("javascript_run", { code: "1" }, { principal, session, route: "mcp" });
  };
  await open("mallory", "a");
  await expect(open("mallory", "b")).rejects.toThrow("One caller can hold at most 1 javascript sessions");
  await expect(open("ada", "c")).resolves.toMatchObject({ value: 1 });
});

test("in an episode what was defined is the episode's: saved, forked and ended with it", async () => {
  const pack = replPack();
  const kit = environment({
    name: "kit",
    version: "1.0.0",
    start: () => ({ count: 0 }),
    observe: ({ count }) => ({ count }),
    tools: (make) => ({ wait: make({ description: "Waits", run: () => undefined }) }),
    reward: () => 0,
    status: () => ({ terminated: false }),
  });
  kit.server.mount("repl", pack);
  const episode = await kit.start({ seed: 1 });
  for (const tool of ["python_run", "javascript_run"]) {
    const value = async (each: Episode, code: string) =>
      ((await kit.call(each, tool, { code })) as { value: unknown; error: unknown }).value;
    await value(episode, tool === "python_run" ? "notes = ['start']" : "let notes = ['start']; 0");
    const fork = await kit.episodes.fork(episode);
    expect(await value(episode, "notes")).toEqual(["start"]);
    expect(await value(fork, "notes")).toEqual(["start"]);
    await value(fork, tool === "python_run" ? "notes.append('fork')" : "notes.push('fork')");
    expect(await value(fork, "notes")).toEqual(["start", "fork"]);
    expect(await value(episode, "notes")).toEqual(["start"]);
    expect(await value(await kit.start({ seed: 1 }), "notes")).toBeNull();
  }
  await kit.call(episode, "repl_reset", {});
  expect(await kit.call(episode, "python_run", { code: "notes" })).toMatchObject({ error: { name: "NameError" } });
  for (const each of kit.episodes) await kit.episodes.end(each);
  await kit.close();
});
