import { afterAll, describe, expect, test } from "vitest";
import { allow, ask, server, tool } from "biplane";
import type { Approver } from "../../src/call/approve.ts";
import { connect } from "../../src/client/connect.ts";
import type { CodeEngine } from "../../src/code/engine.ts";
import { javascriptEngine } from "../../src/code/javascript/engine.ts";
import { pythonEngine } from "../../src/code/python/python-engine.ts";
import { codeTool } from "../../src/code/run-code.ts";
import type { CodeAnswer, CodeToolOptions } from "../../src/code/run-code.ts";
import { starlarkEngine } from "../../src/code/starlark/engine.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { ada, agent, openDesk } from "../admin/approvals/desk.ts";
import type { Desk } from "../admin/approvals/desk.ts";

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

  test("code goes on where it stopped once a person says yes, and earlier calls are made once", async () => {
    await using desk = openCodeDesk(engine);
    const running = run(desk, goOn);
    await desk.approvals.answer([await desk.waiting()], yes, ada);
    await desk.approvals.answer([await desk.waiting()], yes, ada);
    const { result, error, calls } = await running;
    expect(error).toBeNull();
    expect(result).toEqual(["refunded 5", "refunded 5"]);
    expect(desk.notes).toEqual(["before", "after"]);
    expect(desk.refunds).toEqual([5, 5]);
    expect(calls.map(({ tool: name, outcome }) => [name, outcome])).toEqual([
      ["note", "done"],
      ["refund", "done"],
      ["note", "done"],
      ["refund", "done"],
    ]);
    expect(await desk.store.list("code-actions")).toEqual([]);
  });

  test("a rejection can be caught, with its reason", async () => {
    await using desk = openCodeDesk(engine);
    const running = run(desk, caught);
    await desk.approvals.answer([await desk.waiting()], { verdict: "reject", reason: "too much" }, ada);
    const { result, calls } = await running;
    expect(result).toEqual(["APPROVAL_REJECTED", expect.stringContaining("The call was not approved: too much")]);
    expect(calls).toMatchObject([{ tool: "refund", outcome: "APPROVAL_REJECTED" }]);
    expect(desk.refunds).toEqual([]);
  });

  test("the clock stands still while a person thinks, and for nothing else", async () => {
    await using desk = openCodeDesk(engine, { limits: { wallMs: 1000 } });
    const patient = run(desk, goOn);
    const id = await desk.waiting();
    // It began later and has the same time, so that when it is over, the first would be over as well.
    const late = await run(desk, hang);
    expect(late.error).toMatchObject({ kind: "limit", message: expect.stringContaining("took longer than 1000 ms") });
    await desk.approvals.answer([id], { ...yes, hold: { kind: "always" } }, ada);
    expect(await patient).toMatchObject({ result: ["refunded 5", "refunded 5"], error: null });
  });

  test("a client that knows tasks gets one, and need not hold the line", async () => {
    await using desk = openCodeDesk(engine);
    const { url } = await desk.server.serve("http://127.0.0.1:0");
    await using client = await connect(`${url}/mcp`, { era: "modern", tasks: true, sleep: async () => undefined });
    let tell: (() => void) | undefined;
    const becameTask = new Promise<void>((resolve) => (tell = resolve));
    const running = client.callTool("run_code", { code: caught }, { onTask: () => tell?.() });
    await becameTask;
    await desk.approvals.answer([await desk.waiting()], yes, ada);
    const [first] = (await running).content as readonly { text: string }[];
    expect(JSON.parse(first?.text ?? "")).toMatchObject({ result: "refunded 5", error: null });
    expect(desk.refunds).toEqual([5]);
  });
});

test("an outer caller that does not wait finds the approval pending, and may run the code again", async () => {
  await using desk = openCodeDesk(languages.javascript.engine);
  const impatient = { principal: agent, patienceMs: 0 };
  const first = (await desk.server.call("run_code", { code: "await refund(5)" }, impatient)) as CodeAnswer;
  expect(first.error).toMatchObject({ code: "APPROVAL_PENDING" });
  await desk.approvals.answer([await desk.waiting()], yes, ada);
  expect(await desk.server.call("run_code", { code: "await refund(5)" }, impatient)).toMatchObject({ error: null });
});

test("code that ends before its task is stored leaves no task behind that works for ever", async () => {
  await using kept = sqliteStore(":memory:");
  const store: Store = new Proxy(kept, {
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
    approve: ({ call }) => call.standStill(Promise.resolve({ by: "ann", waited: true })),
  };
  await using engine = javascriptEngine({ isolation: "thread" });
  await using house = server({ name: "quick", version: "1", limits: false, store, approver });
  house.add(tool({ name: "pay", run: () => "paid" })).policy((_, name) => (name === "pay" ? ask("Pay?") : allow()));
  codeTool(house, { engines: [engine] });
  const { url } = await house.serve("http://127.0.0.1:0");
  await using client = await connect(`${url}/mcp`, { era: "modern", tasks: true, sleep: async () => undefined });
  await client.callTool("run_code", { code: "await pay()" });
  await expect.poll(async () => (await kept.list("tasks")).map(([, { status }]) => status)).toEqual(["completed"]);
});

test("while code waits, the store knows what it has done and what it waits for, without secrets", async () => {
  await using desk = openCodeDesk(languages.javascript.engine);
  const running = run(desk, "await refund(5, 'open-sesame-1234')");
  const id = await desk.waiting();
  await expect
    .poll(() => desk.store.list("code-actions"))
    .toMatchObject([
      [
        expect.any(String),
        {
          code: "await refund(5, '[REDACTED:TILL_KEY]')",
          calls: [{ tool: "refund", input: { amount: 5, note: "[REDACTED:TILL_KEY]" }, outcome: "waiting" }],
        },
      ],
    ]);
  await desk.approvals.answer([id], yes, ada);
  await running;
});

test("a cancelled action that waits is over, and its call does not run when the yes comes", async () => {
  await using desk = openCodeDesk(languages.javascript.engine);
  const stop = new AbortController();
  const options = { principal: agent, signal: stop.signal };
  const running = desk.server.call("run_code", { code: "await refund(5)" }, options);
  const id = await desk.waiting();
  stop.abort();
  await expect(running).rejects.toMatchObject({ code: "CANCELLED" });
  await desk.approvals.answer([id], yes, ada);
  expect(desk.refunds).toEqual([]);
});

interface CodeDesk extends Desk {
  readonly notes: string[];
}

function openCodeDesk(engine: CodeEngine, options: Partial<CodeToolOptions> = {}): CodeDesk {
  const desk = openDesk();
  const notes: string[] = [];
  const note = tool({
    name: "note",
    input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    run: ({ text }) => void notes.push(String(text)),
  });
  const hang = tool({ name: "hang", timeoutMs: 60_000, run: () => new Promise(() => undefined) });
  desk.server.add(note).add(hang);
  codeTool(desk.server, { engines: [engine], ...options });
  return Object.assign(desk, { notes });
}

async function run({ server }: Desk, code: string): Promise<CodeAnswer> {
  return (await server.call("run_code", { code }, { principal: agent })) as CodeAnswer;
}
