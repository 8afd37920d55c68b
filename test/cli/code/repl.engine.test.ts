import { PassThrough } from "node:stream";
import { afterAll, expect, test } from "vitest";
import { server, tool } from "biplane";
import { codeRepl } from "../../../packages/biplane/src/cli/code/repl.ts";
import { openCodeSession } from "../../../packages/biplane/src/cli/code/session.ts";
import type { Served } from "biplane";
import type { CodeEngine } from "../../../packages/biplane/src/code/engine.ts";
import { javascriptEngine } from "../../../packages/biplane/src/code/javascript/engine.ts";
import { starlarkEngine } from "../../../packages/biplane/src/code/starlark/engine.ts";
import { frozenLake } from "../../../packages/gallery/src/frozen-lake/frozen-lake.ts";

const open: Terminal[] = [];
afterAll(() => Promise.all(open.map((terminal) => terminal.leave())));

test("shows values, what was printed and errors with where they happened, and keeps what was defined", async () => {
  const terminal = await sit(kit());
  expect(await terminal.screen()).toContain("kit: 3 tools as functions in javascript");
  expect(await terminal.type("const twice = (x) => x + x")).toBe("");
  expect(await terminal.type("console.log('printed'); [twice('a'), await add(1, 2)]")).toBe("printed\n[ 'aa', 3 ]\n");
  expect(await terminal.type("function broken() { null.x } broken()")).toMatch(/TypeError: .*\n.*broken \(action\.js/);
  expect(await terminal.type("await add('x', 1)")).toMatch(/ToolError: [^]*code: INVALID_INPUT\n/);
});

test("an action goes over several lines while something is open", async () => {
  const terminal = await sit(kit());
  expect(await terminal.type("const numbers = [", "… ")).toBe("");
  expect(await terminal.type("  1,", "… ")).toBe("");
  expect(await terminal.type("]; numbers")).toBe("[ 1 ]\n");
  const starlark = await sit(kit(), starlarkEngine({ workers: 1 }));
  await starlark.type("def f(n):", "… ");
  await starlark.type("  return n + 1", "… ");
  expect(await starlark.type("")).toBe("");
  await starlark.type("for each in [1]:", "… ");
  await starlark.type("  print(add(each, 1))", "… ");
  expect(await starlark.type("")).toBe("2\n");
});

test("Tab completes the names of tools", async () => {
  const terminal = await sit(kit());
  await terminal.screen();
  for (const keys of ["await get_p", "\t"]) terminal.send(keys);
  await terminal.shows("age(");
  terminal.send(")\r");
  expect(await terminal.screen()).toMatch(/\r\n<page>\n$/);
  for (const keys of [":sch", "\t"]) terminal.send(keys);
  await terminal.shows("ema");
  terminal.send(" add\r");
  expect(await terminal.screen()).toContain('"required"');
});

test("Ctrl-C ends the action that runs, and not the REPL", async () => {
  const terminal = await sit(kit());
  await terminal.type("var kept = 1");
  terminal.send("while (true) {}\r");
  await terminal.shows("while (true) {}\r\n");
  terminal.send("\u0003");
  expect(await terminal.screen()).toContain("Stopped.\n");
  expect(await terminal.type("kept")).toBe("1\n");
  await terminal.type("[1,", "… ");
  terminal.send("\u0003");
  await terminal.screen();
  expect(await terminal.type("2")).toBe("2\n");
});

test("a line with a colon is a command, not code", async () => {
  const terminal = await sit(kit());
  expect(await terminal.type(":tools")).toContain("add({ a: number, b: number }): Promise<any> // Adds\n");
  expect(await terminal.type(":schema add")).toMatch(/^Adds\n\{\n {2}"input"/);
  expect(await terminal.type(":schema nothing")).toContain('There is no tool "nothing"');
  expect(await terminal.type(":nonsense")).toContain("Unknown command :nonsense. Commands: :tools");
  expect(await terminal.type(":help")).toContain(":schema name");
  await terminal.type("var here = 1");
  await terminal.type(":reset");
  expect(await terminal.type("typeof here")).toBe("undefined\n");
});

test("in an environment it plays one episode, and prints rewards and endings", async () => {
  const terminal = await sit(frozenLake());
  expect(await terminal.screen()).toContain("[S]");
  expect(await terminal.type("(await lake_move('DOWN')).position")).toBe("4\nreward 0  total 0  step 1\n");
  expect(await terminal.type("1")).toBe("1\ntotal 0  step 1\n");
  const over = await terminal.type("for (;;) await lake_move('RIGHT')");
  expect(over).toMatch(
    /code: EPISODE_ENDED\nreward .* terminated\nThe episode is over\. Type :reset to start another\.\n/,
  );
  await terminal.type(":reset");
  expect(await terminal.type("1")).toBe("1\ntotal 0  step 0\n");
});

test("output of code and tools cannot control the terminal", async () => {
  const terminal = await sit(kit());
  const code = String.raw`console.log("\x1b]0;title\x07"); console.error("\x9b2J"); throw new Error("\u202Eabc")`;
  const shown = await terminal.type(code);
  expect(shown).toContain(String.raw`\u001b]0;title\u0007`);
  for (const sign of ["\u0007", "\u001B", "\u009B", "\u202E"]) expect(shown).not.toContain(sign);
});

test("what was typed is there for the next one, newest first", async () => {
  const terminal = await sit(kit());
  await terminal.type("1");
  await terminal.type("2");
  await terminal.leave();
  expect(terminal.kept()).toEqual([":quit", "2", "1", "before"]);
});

interface Terminal {
  send(keys: string): void;
  /** All that was shown until it is ready for more. */
  screen(prompt?: string): Promise<string>;
  /** Waits until a text is on the screen. */
  shows(text: string): Promise<void>;
  /** Types a line; gives what is shown for it. */
  type(line: string, prompt?: string): Promise<string>;
  kept(): readonly string[];
  leave(): Promise<void>;
}

function kit() {
  const numbers = {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  };
  const add = tool({ name: "add", description: "Adds", input: numbers, run: ({ a, b }) => Number(a) + Number(b) });
  const getPage = tool({ name: "get_page", description: "A page", run: () => "<page>" });
  const odd = tool({ name: "browser.open", description: "Opens", run: () => "open" });
  return server({ name: "kit", version: "1.0.0", limits: false, tools: [add, getPage, odd] });
}

async function sit(target: Served, engine: CodeEngine = javascriptEngine({ workers: 1 })): Promise<Terminal> {
  const session = await openCodeSession({ target, engine, seed: 1 });
  const input = new PassThrough();
  const output = new PassThrough();
  let shown = "";
  let kept: readonly string[] = [];
  let tell: (() => void) | undefined;
  output.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    tell?.();
  });
  const until = async (isThere: () => boolean) => {
    while (!isThere()) await new Promise<void>((told) => (tell = told));
  };
  const history = { lines: ["before"], keep: async (lines: readonly string[]) => void (kept = lines) };
  const ended = codeRepl(session, { input, output, style: (text) => text, history });
  // readline writes each prompt after clearing what is below it, and then puts the cursor behind it.
  const ready = (prompt: string) => `\u001B[1G\u001B[0J${prompt}\u001B[3G`;
  const terminal: Terminal = {
    send: (keys) => void input.write(keys),
    screen: async (prompt = "> ") => {
      await until(() => shown.endsWith(ready(prompt)));
      const all = shown;
      shown = "";
      return all.slice(0, -ready(prompt).length);
    },
    shows: (text) => until(() => shown.includes(text)),
    type: async (line, prompt) => {
      if (shown !== "") await terminal.screen();
      input.write(`${line}\r`);
      const answer = await terminal.screen(prompt);
      return answer.slice(answer.indexOf("\r\n") + 2);
    },
    kept: () => kept,
    leave: async () => {
      if (!input.writableEnded) input.end(":quit\r");
      await ended;
      await session[Symbol.asyncDispose]();
      await engine.close();
      await target.close();
    },
  };
  open.push(terminal);
  return terminal;
}
