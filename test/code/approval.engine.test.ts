import { afterAll, describe, expect, test } from "vitest";
import { allow, ask, server, tool } from "biplane";
import type { Approver } from "../../packages/core/src/call/approve.ts";
import { connect } from "biplane/client";
import type { CodeEngine } from "../../packages/biplane/src/code/engine.ts";
import { javascriptEngine } from "../../packages/biplane/src/code/javascript/engine.ts";
import { pythonEngine } from "../../packages/biplane/src/code/python/engine.ts";
import { codeTool } from "../../packages/biplane/src/code/code-tool.ts";
import type { CodeAnswer, CodeToolOptions } from "../../packages/biplane/src/code/code-tool.ts";
import { starlarkEngine } from "../../packages/biplane/src/code/starlark/engine.ts";
import { openStore } from "biplane/store";
import type { SqlStore } from "biplane/store";
import { ada, agent, openKit } from "../governance/approvals/approval-server.ts";
import type { Kit } from "../governance/approvals/approval-server.ts";

/** The same three programs in each language. */
const languages = {
  javascript: {
    engine: javascriptEngine({ workers: 1 }),
    goOn: "await note('before'); const said = await refund(5); await note('after'); [said, await refund(5)]",
    caught: "let told; try { told = await refund(5) } catch (error) { told = [error.code, error.message] } told",
    hang: "await hang()",
  },
  python: {
    engine: pythonEngine(),
    goOn: "note('before')\nsaid = refund(5)\nnote('after')\n[said, refund(5)]",
    caught: "try:\n  told = refund(5)\nexcept ToolError as error:\n  told = [error.code, str(error)]\ntold",
    hang: "hang()",
  },
  starlark: {
    engine: starlarkEngine({ workers: 2 }),
    goOn: "note('before')\nsaid = refund(5)\nnote('after')\n[said, refund(5)]",
    caught: "told = try_tool('refund', 5)\ntold['value'] if told['ok'] else [told['code'], told['message']]",
    hang: "hang()",
  },
};
afterAll(() => Promise.all(Object.values(languages).map(({ engine }) => engine.close())));

const yes = { verdict: "approve" } as const;

describe.each(Object.keys(languages) as (keyof typeof languages)[])("in %s", (language) => {
  const { engine, goOn, caught, hang } = languages[language];

  test("code continues after approval, and earlier calls are not repeated", async () => {
    await using kit = await openCodeKit(engine);
    const running = run(kit, goOn);
    await kit.approvals.answer([await kit.waiting()], yes, ada);
    await kit.approvals.answer([await kit.waiting()], yes, ada);
    const { result, error, calls } = await running;
    expect(error).toBeNull();
    expect(result).toEqual(["refunded 5", "refunded 5"]);
    expect(kit.notes).toEqual(["before", "after"]);
    expect(kit.refunds).toEqual([5, 5]);
    expect(calls.map(({ tool: name, outcome }) => [name, outcome])).toEqual([
      ["note", "done"],
      ["refund", "done"],
      ["note", "done"],
      ["refund", "done"],
    ]);
    expect(await kit.store.list("code-actions")).toEqual([]);
  });

  test("a rejection can be caught, with its reason", async () => {
    await using kit = await openCodeKit(engine);
    const running = run(kit, caught);
    await kit.approvals.answer([await kit.waiting()], { verdict: "reject", reason: "too much" }, ada);
    const { result, calls } = await running;
    expect(result).toEqual(["APPROVAL_REJECTED", expect.stringContaining("The call was not approved: too much")]);
    expect(calls).toMatchObject([{ tool: "refund", outcome: "APPROVAL_REJECTED" }]);
    expect(kit.refunds).toEqual([]);
  });

  test("the clock pauses only while a call waits for approval", async () => {
    await using kit = await openCodeKit(engine, { limits: { wallMs: 1000 } });
    const patient = run(kit, goOn);
    const id = await kit.waiting();
    // It began later and has the same time, so that when it is over, the first would be over as well.
    const late = await run(kit, hang);
    expect(late.error).toMatchObject({ kind: "limit", message: expect.stringContaining("timed out after 1000 ms") });
    await kit.approvals.answer([id], { ...yes, scope: { kind: "always" } }, ada);
    expect(await patient).toMatchObject({ result: ["refunded 5", "refunded 5"], error: null });
  });

  test("a client that knows tasks gets one, and need not hold the line", async () => {
    await using kit = await openCodeKit(engine);
    const { url } = await kit.server.serve("http://127.0.0.1:0");
    await using client = await connect(`${url}/mcp`, { era: "modern", tasks: true, sleep: async () => undefined });
    let tell: (() => void) | undefined;
    const becameTask = new Promise<void>((resolve) => (tell = resolve));
    const running = client.callTool("run_code", { code: caught }, { onTask: () => tell?.() });
    await becameTask;
    await kit.approvals.answer([await kit.waiting()], yes, ada);
    const [first] = (await running).content as readonly { text: string }[];
    expect(JSON.parse(first?.text ?? "")).toMatchObject({ result: "refunded 5", error: null });
    expect(kit.refunds).toEqual([5]);
  });
});

test("an outer caller that does not wait finds the approval pending, and may run the code again", async () => {
  await using kit = await openCodeKit(languages.javascript.engine);
  const impatient = { principal: agent, patienceMs: 0 };
  const first = (await kit.server.call("run_code", { code: "await refund(5)" }, impatient)) as CodeAnswer;
  expect(first.error).toMatchObject({ code: "APPROVAL_PENDING" });
  await kit.approvals.answer([await kit.waiting()], yes, ada);
  expect(await kit.server.call("run_code", { code: "await refund(5)" }, impatient)).toMatchObject({ error: null });
});

test("code that ends before its task is stored leaves no task behind that works for ever", async () => {
  await using kept = await openStore(":memory:");
  const store: SqlStore = new Proxy(kept, {
    get: (target, key) => {
      const own: unknown = Reflect.get(target, key, target);
      if (typeof own !== "function") return own;
      if (key !== "put") return own.bind(target);
      return async (collection: string, ...rest: unknown[]) => {
        const turns = collection === "tasks" ? 200 : 0;
        for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
        return own.call(target, collection, ...rest);
      };
    },
  });
  const approver: Approver = {
    approve: ({ call }) => call.pauseClock(Promise.resolve({ by: "ann", waited: true })),
  };
  await using engine = javascriptEngine({ isolation: "thread" });
  await using gateway = server({ name: "quick", version: "1", limits: false, store, approver });
  gateway.add(tool({ name: "pay", run: () => "paid" })).policy((_, name) => (name === "pay" ? ask("Pay?") : allow()));
  codeTool(gateway, { engines: [engine] });
  const { url } = await gateway.serve("http://127.0.0.1:0");
  await using client = await connect(`${url}/mcp`, { era: "modern", tasks: true, sleep: async () => undefined });
  await client.callTool("run_code", { code: "await pay()" });
  await expect.poll(async () => (await kept.list("tasks")).map(([, { status }]) => status)).toEqual(["completed"]);
});

test("while code waits, the store knows what it has done and what it waits for, without secrets", async () => {
  await using kit = await openCodeKit(languages.javascript.engine);
  const running = run(kit, "await refund(5, 'open-sesame-1234')");
  const id = await kit.waiting();
  await expect
    .poll(() => kit.store.list("code-actions"))
    .toMatchObject([
      [
        expect.any(String),
        {
          code: "await refund(5, '[REDACTED:TILL_KEY]')",
          calls: [{ tool: "refund", input: { amount: 5, note: "[REDACTED:TILL_KEY]" }, outcome: "waiting" }],
        },
      ],
    ]);
  await kit.approvals.answer([id], yes, ada);
  await running;
});

test("a cancelled action ends while it waits, and its call does not run after approval", async () => {
  await using kit = await openCodeKit(languages.javascript.engine);
  const stop = new AbortController();
  const options = { principal: agent, signal: stop.signal };
  const running = kit.server.call("run_code", { code: "await refund(5)" }, options);
  const id = await kit.waiting();
  stop.abort();
  await expect(running).rejects.toMatchObject({ code: "CANCELLED" });
  await kit.approvals.answer([id], yes, ada);
  expect(kit.refunds).toEqual([]);
});

interface CodeKit extends Kit {
  readonly notes: string[];
}

async function openCodeKit(engine: CodeEngine, options: Partial<CodeToolOptions> = {}): Promise<CodeKit> {
  const kit = await openKit();
  const notes: string[] = [];
  const note = tool({
    name: "note",
    input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    run: ({ text }) => void notes.push(text),
  });
  const hang = tool({ name: "hang", timeoutMs: 60_000, run: () => new Promise(() => undefined) });
  kit.server.add(note).add(hang);
  codeTool(kit.server, { engines: [engine], ...options });
  return Object.assign(kit, { notes });
}

async function run({ server }: Kit, code: string): Promise<CodeAnswer> {
  return (await server.call("run_code", { code }, { principal: agent })) as CodeAnswer;
}
