import { once } from "node:events";
import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BiplaneError } from "biplane";
import { parseHeader } from "../../../packages/biplane/src/pack/script/header.ts";
import { runs } from "../../support/runs.ts";
import { LocalSite } from "../net/local-site.ts";
import { openGateway } from "./script-server.ts";
import type { Gateway, GatewayOptions } from "./script-server.ts";

/** A gateway in which this script, `demo`, is approved. */
async function holding(source: string, options: GatewayOptions = {}): Promise<Gateway> {
  const gateway = await openGateway({ scripts: { demo: source }, ...options });
  await gateway.approve("demo", source);
  return gateway;
}

/** One gateway for what needs no settings of its own: starting a worker takes longer than most scripts. */
let shared: Gateway;
beforeAll(async () => {
  shared = await openGateway({ now: () => Date.UTC(2026, 2, 1, 12, 0, 0, 500) });
});
afterAll(() => shared[Symbol.asyncDispose]());

async function come(source: string, more: object = {}): Promise<unknown> {
  shared.write("demo", source);
  await shared.approve("demo", source);
  return shared.run("demo", more);
}

const failure = async (work: Promise<unknown>): Promise<BiplaneError> =>
  work.then(
    (value) => expect.fail(`it ran: ${JSON.stringify(value)}`),
    (error: BiplaneError) => error,
  );

describe("the result of a script", () => {
  test.each([
    ["main() before result", 'result = 1\ndef main(): return "main"', "main"],
    ["result without main()", "x = 1\nresult = [x, None, True]", [1, null, true]],
    ["a main that is no function is none", "main = 3\nresult = 4", 4],
    ["constants without either", "CITY = 'Oslo'\ncount = 3", { CITY: "Oslo" }],
    ["nothing", "x = 1", null],
  ])("%s", async (_, source, value) => {
    expect(await come(source)).toEqual(value);
  });

  test("is JSON to read and an object for programs, with what was printed and the time of it all", async () => {
    await using gateway = await holding(
      'def main():\n    print("one", 2)\n    return {"city": "London", "temp_c": 15.5}',
    );
    const outcome = await gateway.outcome("script_run", { name: "demo" });
    expect(outcome).toMatchObject({
      status: "done",
      content: [{ text: '{"city":"London","temp_c":15.5}' }, { text: "Printed:\none 2" }],
    });
    const {
      value,
      error,
      duration_ms: duration,
      output,
    } = (await gateway.call("script_run", { name: "demo" })) as {
      [key: string]: unknown;
    };
    expect({ value, error, output }).toEqual({ value: { city: "London", temp_c: 15.5 }, error: null, output: "one 2" });
    expect(duration).toBeGreaterThan(0);
  });

  test("a named function gets its arguments, and whole numbers stay whole", async () => {
    await using gateway = await holding(
      "def add(a, b = 1): return [a + b, type(a), type(b)]\ndef _own(): return 1\nvalue = 3",
    );
    expect(await gateway.run("demo", { function: "add", args: [3] })).toEqual([4, "int", "int"]);
    expect(await gateway.run("demo", { function: "add", args: [3, 0.5] })).toEqual([3.5, "int", "float"]);
    expect((await failure(gateway.run("demo", { function: "nope" }))).message).toBe('function "nope" not found');
    expect((await failure(gateway.run("demo", { function: "value" }))).message).toBe('"value" is not a function');
    expect((await failure(gateway.run("demo", { function: "_own" }))).code).toBe("INVALID_INPUT");
    expect((await failure(gateway.run("demo", { args: [1] }))).code).toBe("INVALID_INPUT");
  });

  test("large ints, keys that are no strings, sets and bytes survive", async () => {
    expect(await come('result = {"big": 1 << 80, 1: "one", (1, 2): set([3]), "b": b"abc", "f": len}')).toEqual({
      big: "1208925819614629174706176",
      "1": "one",
      "[1,2]": [3],
      b: "abc",
      f: "<function len>",
    });
  });

  test.each([
    ["a value that contains itself", "x = []\nx.append(x)\nresult = x", "contains itself"],
    ["one returned that contains itself", "def main():\n    x = {}\n    x[1] = x\n    return x", "contains itself"],
    ["one part many times over", "x = [1]\nfor i in range(60): x = [x, x]\nresult = x", "larger than"],
    ["more than fits", 'result = "x" * 2000000', "larger than"],
    ["nesting without end", "x = []\nfor i in range(5000): x = [x]\nresult = x", "nested more than"],
  ])("%s is refused, and the next call goes on", async (_, source, message) => {
    expect(await failure(come(source))).toMatchObject({
      code: "EXECUTION_ERROR",
      message: expect.stringContaining(message) as string,
    });
    expect(await come("result = 1")).toBe(1);
  });

  test("a failure names its place, shows the line, and what was printed before", async () => {
    const { code, message } = await failure(come('def main():\n    print("so far")\n    return 1 // 0'));
    expect(code).toBe("EXECUTION_ERROR");
    expect(message).toMatch(/^main\(\) error: demo\.star:3:14: floored division by zero/);
    expect(message).toContain("    return 1 // 0\n");
    expect(message).toContain("Printed before:\nso far");
  });

  test("one that does not parse says where", async () => {
    expect((await failure(come("def main(:\n"))).message).toContain("demo.star:1:11: got ':'");
  });
});

describe("limits", () => {
  const endless = "def main():\n    while True: pass";
  test.each([
    ["time", endless, { timeoutMs: 200 }, "TIMEOUT"],
    ["time asleep", "def main():\n    for i in range(9): time.sleep(5)", { timeoutMs: 200 }, "TIMEOUT"],
    ["steps", endless, { maxSteps: 10_000 }, "EXECUTION_ERROR"],
    ["memory", 'def main():\n    return len("x" * 100000000)', { maxMemoryMb: 16 }, "EXECUTION_ERROR"],
    ["output", 'def main():\n    while True: print("x" * 100)', { maxOutputBytes: 5000 }, "EXECUTION_ERROR"],
  ])("%s", async (_, source, options, code) => {
    await using gateway = await holding(source, options);
    expect((await failure(gateway.run("demo"))).code).toBe(code);
  });

  test.each([
    ["digits", "json.decode('9' * 5000000)"],
    ["empty lists", "json.decode('[' + '[],' * 3000000 + '1]')"],
    ["vast ranges", "[range(10000000)] * 40"],
    ["digits of an int", "[int('9' * 1000000)] * 50"],
  ])("many %s are processed in the script's worker, not in the main thread", async (_, expression) => {
    const loop = monitorEventLoopDelay({ resolution: 10 });
    loop.enable();
    await failure(come(`def main(): return ${expression}`));
    expect(loop.max / 1e6).toBeLessThan(500);
  });

  test("an answer that never comes counts as time, and its connection is dropped", async () => {
    let dropped: Promise<unknown> | undefined;
    await using site = await LocalSite.open((_, response) => {
      dropped = once(response, "close");
    });
    const source = "def main(url): return http.get(url)";
    await using gateway = await holding(source, { timeoutMs: 400, allow: ["127.0.0.0/8"] });
    const f = await failure(gateway.run("demo", { args: [site.url] }));
    expect([f.code, f.message]).toEqual(["TIMEOUT", expect.anything()]);
    await dropped;
  });

  test("a cancelled call stops its script and what it fetches", async () => {
    let reached: (() => void) | undefined;
    const arrived = new Promise<void>((resolve) => (reached = resolve));
    let dropped: Promise<unknown> | undefined;
    await using site = await LocalSite.open((_, response) => {
      dropped = once(response, "close");
      reached?.();
    });
    await using gateway = await holding("def main(url): return http.get(url)", { allow: ["127.0.0.0/8"] });
    const cancel = new AbortController();
    const call = gateway.server.call("script_run", { name: "demo", args: [site.url] }, { signal: cancel.signal });
    await arrived;
    cancel.abort();
    expect((await failure(call)).code).toBe("CANCELLED");
    await dropped;
  });

  test("a slow script keeps none from running beside it", async () => {
    let reached: (() => void) | undefined;
    const arrived = new Promise<void>((resolve) => (reached = resolve));
    let answer: (() => void) | undefined;
    await using site = await LocalSite.open((_, response) => {
      answer = () => response.end("late");
      reached?.();
    });
    const source = 'def slow(url): return http.get(url)["body"]\ndef quick(): return 1';
    await using gateway = await holding(source, { workers: 3, allow: ["127.0.0.0/8"] });
    const slow = gateway.run("demo", { function: "slow", args: [site.url] });
    await arrived;
    expect(await gateway.run("demo", { function: "quick" })).toBe(1);
    answer?.();
    expect(await slow).toBe("late");
  });
});

describe("http", () => {
  test("get and post send what they are given, and give status, text and headers", async () => {
    await using site = await LocalSite.open((request, response) => {
      const { method, url, body, headers } = request;
      response.writeHead(url === "/missing" ? 404 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify({ method, body, type: headers["content-type"] ?? null }));
    });
    const source = `
def main(url):
    got = http.get(url + "/missing", headers = {"X-One": "1"})
    sent = http.post(url, json.encode({"a": 1}), {"X-Two": "2"})
    typed = http.post(url, body = "x", content_type = "text/plain")
    return [got["status"], got["headers"]["Content-Type"], json.decode(sent["body"]), json.decode(typed["body"])["type"]]
`;
    await using gateway = await holding(source, { allow: ["127.0.0.0/8"] });
    expect(await gateway.run("demo", { args: [site.url] })).toEqual([
      404,
      "application/json",
      { method: "POST", body: '{"a":1}', type: "application/json" },
      "text/plain",
    ]);
    expect(site.seen[0]?.headers).toMatchObject({ "x-one": "1", "user-agent": "Biplane-Starlark/0.1" });
    expect(site.seen[1]?.headers).toMatchObject({ "x-two": "2" });
  });

  test.each([
    "http://127.0.0.1:9",
    "http://localhost:9",
    "http://169.254.169.254/",
    "http://10.0.0.1",
    "http://[::1]:9",
  ])("%s is out of reach", async (url) => {
    expect((await failure(come("def main(url): return http.get(url)", { args: [url] }))).message).toContain(
      "is not allowed",
    );
  });

  test("a redirect to a private address, a file and too large an answer are errors", async () => {
    await using site = await LocalSite.open(({ url }, response) => {
      if (url === "/away") response.writeHead(302, { location: "http://169.254.169.254/" }).end();
      else response.end("x".repeat(2000));
    });
    const options = { allow: ["127.0.0.0/8"], maxHttpBytes: 1000 };
    await using gateway = await holding("def main(url): return http.get(url)", options);
    const said = async (url: string) => (await failure(gateway.run("demo", { args: [url] }))).message;
    expect(await said(`${site.url}/away`)).toContain("is not allowed");
    expect(await said("file:///etc/passwd")).toContain("only http and https URLs are allowed");
    expect(await said(site.url)).toContain("larger than 1000 bytes");
  });
});

describe("secrets", () => {
  const secret = "hunter2-hunter2";
  const header = "# @secrets: KEY, MISSING\n";
  const secrets = (name: string) => (name === "MISSING" ? undefined : secret);

  test("declared ones are there, one without a value is empty, others are an error", async () => {
    const source = `${header}def main(): return [len(secrets.get("KEY")), secrets.get("MISSING"), secrets.has("KEY"), secrets.has("MISSING"), secrets.has("OTHER"), secrets.list()]\ndef other(): return secrets.get("OTHER")`;
    await using gateway = await holding(source, { secrets });
    expect(await gateway.run("demo")).toEqual([secret.length, "", true, false, false, ["KEY"]]);
    expect((await failure(gateway.run("demo", { function: "other" }))).message).toContain("is not declared");
  });

  test("do not leave by value, key, print or error, in base64 or percent-encoded", async () => {
    const source = `${header}
def main():
    key = secrets.get("KEY")
    print("the key is", key)
    return {key: [key, {"in": "a" + key + "b"}]}
def broken():
    print(secrets.get("KEY"))
    fail("with " + secrets.get("KEY"))
def quoted(): return secrets.get("KEY")[100]`;
    await using gateway = await holding(source, { secrets });
    for (const name of ["main", "broken", "quoted"]) {
      const outcome = await gateway.outcome("script_run", { name: "demo", function: name });
      const said = outcome.status === "failed" ? outcome.error.message : JSON.stringify(outcome);
      expect(said).not.toContain(secret);
      if (name !== "quoted") expect(said).toContain("[REDACTED:KEY]");
    }
  });

  test("one too short to be found again is not given", async () => {
    await using gateway = await holding(`${header}result = secrets.get("KEY")`, { secrets: () => "short" });
    expect((await failure(gateway.run("demo"))).message).toContain("too short");
  });
});

describe("modules", () => {
  test.each<[string, unknown]>([
    ['format("%s is %d, %.2f%%, %v", "x", 3, 1.005, [1, "a"])', 'x is 3, 1.00%, [1,"a"]'],
    ['format("%5d|%-5s|%05d|%x|%q|%t", 42, "ab", -7, 255, "q", True)', '   42|ab   |-0007|ff|"q"|true'],
    ["[type(math.floor(2.5)), math.floor(-2.5), math.ceil(2.1), math.round(-2.5)]", ["int", -3, 3, -3]],
    ["[type(math.sqrt(4)), math.sqrt(4), math.pow(2, 10), math.log(8, 2)]", ["float", 2, 1024, 3]],
    ["math.floor(1 << 70)", "1180591620717411303424"],
    ['[type(json.decode("1")), type(json.decode("1.0")), type(json.decode("1e2"))]', ["int", "float", "float"]],
    ['json.decode("123456789012345678901234567890") + 1', "123456789012345678901234567891"],
    ['json.encode({"b": [1 << 70, None, True], "a": "<&>"})', '{"b":[1180591620717411303424,null,true],"a":"<&>"}'],
    ['json.decode(\'{"2": 1, "1": 2, "__proto__": 3}\').keys()', ["2", "1", "__proto__"]],
    ["time.now()", "2026-03-01T12:00:00Z"],
  ])("%s", async (expression, value) => {
    expect(await come(`result = ${expression}`)).toEqual(value);
  });

  test.each([
    ['format("%d", "x")', "does not accept"],
    ['format("%s")', "no value for"],
    ['format("", 1)', "are not used"],
    ["json.encode({1: 2})", "must be a string"],
    ['json.encode(float("nan"))', "JSON cannot represent"],
    ['json.decode("[1,]")', "a value is missing"],
    ['json.decode("[" * 100000)', "nested more than"],
    ["math.sqrt()", "one number"],
    ['time.sleep("x")', "must be a number"],
    ["http.get(1)", "must be a string"],
  ])("%s is an error that says why", async (expression, why) => {
    expect((await failure(come(`result = ${expression}`))).message).toContain(why);
  });
});

describe("the header", () => {
  test("is the comment lines at the top; keys stay, secrets add up", () => {
    const source =
      "# @description: What: it does\n# prose\n# @secret: B\n# @secrets: A, B\n# @author: ada\n#@version:1\nx = 1\n# @secrets: C\n";
    expect(parseHeader(source, "x.star")).toEqual({
      description: "What: it does",
      secrets: ["A", "B"],
      function: undefined,
      parameters: [],
      metadata: { author: "ada", version: "1" },
    });
  });

  test("ends where the language ends a line: a carriage return hides neither code nor secrets", () => {
    expect(parseHeader("# @description: a\r# @secrets: A\rx = 1\r# @secrets: B", "x.star").secrets).toEqual(["A"]);
  });

  test("says the same whatever the code below it says, and fails only with a reason", () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom("@secrets: A", "@param a: integer = 1 x", "@x: y", "@description: d"),
    );
    const read = (source: string) => {
      try {
        return parseHeader(source, "x.star");
      } catch (error) {
        expect(error).toMatchObject({ code: "INVALID_INPUT" });
        return "refused";
      }
    };
    fc.assert(
      fc.property(fc.array(line), fc.array(line), (above, below) => {
        const header = above.map((each) => `# ${each.replaceAll(/[\r\n]/g, " ")}\n`).join("");
        const code = below.map((each) => `# ${each}\n`).join("");
        expect(read(`${header}x = 1\n${code}`)).toEqual(read(header));
      }),
      runs(200),
    );
  });

  test("that names no secret or an unknown type is an error", async () => {
    expect(() => parseHeader("# @secrets: lower", "x.star")).toThrow("x.star is invalid");
    expect(() => parseHeader("# @param a: thing", "x.star")).toThrow("the type of a must be one of");
    await using gateway = await openGateway({ scripts: { demo: "# @secrets: lower" } });
    expect((await failure(gateway.run("demo"))).message).toContain("not a valid secret name");
    expect(await gateway.call("script_list", {})).toMatchObject({ count: 1, scripts: [{ name: "demo" }] });
  });
});

describe("a script as a tool of its own", () => {
  const source = `# @description: Add numbers
# @function: add
# @param a: integer The first
# @param b?: integer = 2 The second
def add(a, b = 2):
    return a + b
`;

  test("has its header's schema, takes named arguments and needs approval like any other", async () => {
    await using gateway = await openGateway({ scripts: { sum: source }, tools: ["sum"] });
    const sum = [...gateway.server.tools].find(({ name }) => name === "sum");
    expect(sum?.description).toBe("Add numbers");
    expect(sum?.input.json).toMatchObject({
      required: ["a"],
      properties: { a: { type: "integer", description: "The first" }, b: { default: 2 } },
    });
    expect((await failure(gateway.call("sum", { a: 1 }))).code).toBe("APPROVAL_PENDING");
    await gateway.approve("sum", source, "sum");
    expect(await gateway.call("sum", { a: 1 })).toMatchObject({ value: 3 });
    expect(await gateway.call("sum", { a: 1, b: 5 })).toMatchObject({ value: 6 });
    expect((await failure(gateway.call("sum", { a: "x" }))).code).toBe("INVALID_INPUT");
    gateway.write("sum", `${source}# changed\n`);
    expect((await failure(gateway.call("sum", { a: 1 }))).code).toBe("APPROVAL_PENDING");
  });

  test("that does not exist is an error when the pack is created", async () => {
    await expect(openGateway({ tools: ["nothing"] })).rejects.toThrow("nothing.star cannot be a tool");
  });
});

test("the weather script calls its service with its key, and returns the response", async () => {
  const file = fileURLToPath(new URL("../../../examples/scripts/weather.star", import.meta.url));
  await using site = await LocalSite.open((_, response) => {
    response.end(
      JSON.stringify({ location: { name: "London" }, current: { temp_c: 15.5, condition: { text: "Cloudy" } } }),
    );
  });
  const secrets = () => "weather-key-1234";
  await using gateway = await holding(readFileSync(file, "utf8"), { secrets, allow: ["127.0.0.0/8"] });
  const input = { function: "get_weather", args: ["London", site.url] };
  expect(await gateway.run("demo", input)).toEqual({ city: "London", temp_c: 15.5, condition: "Cloudy" });
  expect(site.seen[0]?.url).toContain("key=weather-key-1234&q=London");
});
