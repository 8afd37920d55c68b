import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { queryAudit } from "../../src/admin/audit/query.ts";
import type { OpenedScript, ScriptRun } from "../../src/desk/contract.ts";
import { openHouse, stored } from "./openapi-house.ts";
import type { House, Json } from "./openapi-house.ts";

const hello =
  '# @description: Greets\n# @secrets: STORED\ndef main(name = "you"):\n    print("greeting")\n    return "hello " + name\n';
const hashOf = (source: string | Uint8Array) => createHash("sha256").update(source).digest("hex");

async function open(house: House, name: string, cookie: Record<string, string>): Promise<OpenedScript> {
  return (await house.ask(`GET /api/scripts/${name}`, undefined, cookie)).json as unknown as OpenedScript;
}

test("a script is looked at, approved, changed, compared and rejected, and its history says so", async () => {
  await using house = await openHouse({ scripts: { hello } });
  const ada = await house.logIn();
  expect((await house.ask("GET /api/scripts", undefined, ada)).json).toEqual({
    scripts: [
      {
        name: "hello",
        description: "Greets",
        hash: hashOf(hello),
        status: "new",
        secrets: ["STORED"],
        decidedBy: null,
        decidedAt: null,
        fault: null,
      },
    ],
    next: null,
  });
  const fresh = await open(house, "hello", ada);
  expect(fresh).toMatchObject({ source: hello, approvedSource: null, history: [] });

  const yes = await house.ask("POST /api/scripts/hello/verdict", { verdict: "approve", hash: fresh.hash }, ada);
  expect(yes.status).toBe(200);
  expect(yes.json).toMatchObject({ status: "approved", decidedBy: "person ada", approvedSource: null });

  const bye = hello.replace("hello", "bye");
  house.write("hello", bye);
  const changed = await open(house, "hello", ada);
  expect(changed).toMatchObject({ status: "changed", approvedSource: hello, source: bye });

  const no = { verdict: "reject", hash: changed.hash, reason: "too sad" };
  const rejected = (await house.ask("POST /api/scripts/hello/verdict", no, ada)).json as unknown as OpenedScript;
  expect(rejected).toMatchObject({ status: "rejected", approvedSource: hello });
  expect(rejected.history.map(({ hash, verdict, by }) => [hash, verdict, by])).toEqual([
    [hashOf(bye), "rejected", "person ada"],
    [hashOf(hello), "approved", "person ada"],
  ]);
  await house.audit.flush();
  expect(await queryAudit(house.store, { tool: "approvals/decide" })).toHaveLength(2);
});

test("a no after a yes to the same bytes, and a yes after that, all stay in the history", async () => {
  await using house = await openHouse({ scripts: { hello }, tools: ["hello"] });
  const ada = await house.logIn();
  await house.join("bob", ["approvals"]);
  const bob = await house.logIn("bob");
  const hash = hashOf(hello);
  await house.ask("POST /api/scripts/hello/verdict", { verdict: "approve", hash }, ada);
  await house.ask("POST /api/scripts/hello/verdict", { verdict: "reject", hash, reason: "no" }, bob);
  const last = await house.ask("POST /api/scripts/hello/verdict", { verdict: "approve", hash }, bob);
  const { history, status } = last.json as unknown as OpenedScript;
  expect(status).toBe("approved");
  expect(history.map(({ verdict, by }) => `${verdict} by ${by}`).sort()).toEqual([
    "approved by person ada",
    "approved by person bob",
    "rejected by person bob",
  ]);
  expect(await house.house.call("hello", {})).toMatchObject({ value: "hello you" });
});

test("a verdict is for the bytes that were seen: others are a conflict, and nothing is decided", async () => {
  await using house = await openHouse({ scripts: { hello } });
  const ada = await house.logIn();
  const { hash } = await open(house, "hello", ada);
  house.write("hello", `${hello}# and more\n`);
  const late = await house.ask("POST /api/scripts/hello/verdict", { verdict: "approve", hash }, ada);
  expect(late.status).toBe(409);
  expect(late.json).toMatchObject({ error: "CONFLICT" });
  expect(late.json["message"]).toContain("is not what you looked at");
  expect((await open(house, "hello", ada)).status).toBe("new");
  expect(await house.approvals.grants()).toEqual([]);
});

test.each<[string, unknown]>([
  ["no hash", { verdict: "approve" }],
  ["a short hash", { verdict: "approve", hash: "12345678" }],
  ["a rejection without a reason", { verdict: "reject", hash: hashOf(hello) }],
  ["a rejection with an empty reason", { verdict: "reject", hash: hashOf(hello), reason: "  " }],
  ["an approval with a reason", { verdict: "approve", hash: hashOf(hello), reason: "nice" }],
  ["another verdict", { verdict: "maybe", hash: hashOf(hello) }],
  ["an unknown key", { verdict: "approve", hash: hashOf(hello), force: true }],
])("a verdict with %s is refused", async (_, body) => {
  await using house = await openHouse({ scripts: { hello } });
  const answer = await house.ask("POST /api/scripts/hello/verdict", body, await house.logIn());
  expect(answer.status).toBe(400);
  expect(await house.approvals.grants()).toEqual([]);
  expect(await house.approvals.refusals()).toEqual([]);
});

test("a yes in the queue counts as a decision too, and an agent's call runs after one from here", async () => {
  await using house = await openHouse({ scripts: { hello } });
  const ada = await house.logIn();
  const call = () => house.ask("POST /mcp/execute", { tool: "script_run", arguments: { name: "hello" } });
  expect((await call()).status).toBe(202);
  const [asked] = await house.approvals.list({ status: "waiting" });
  const answer = { ids: [asked?.id], verdict: "approve", hold: { kind: "always", for: "everyone" } };
  await house.ask("POST /api/approvals/answer", answer, ada);
  expect(await open(house, "hello", ada)).toMatchObject({ status: "approved", history: [{ verdict: "approved" }] });
  expect((await call()).json).toMatchObject({ result: { value: "hello you" } });
});

test("what cannot be used says why, and is shown as far as it can be read", async () => {
  await using house = await openHouse({
    scripts: {
      header: "# @secrets: not a name\nresult = 1\n",
      syntax: "def main(:\n",
      unknown: "def main(): return nothing_of_that_name\n",
      bytes: Uint8Array.of(0xff, 0xfe, 0x00),
      fine: "while True: break\nresult = http\n",
    },
  });
  const ada = await house.logIn();
  const { scripts } = (await house.ask("GET /api/scripts", undefined, ada)).json as { scripts: Json[] };
  const told = Object.fromEntries(scripts.map(({ name, status, fault }) => [name, [status, fault]]));
  expect(told).toEqual({
    bytes: ["broken", "bytes.star is not UTF-8 text"],
    fine: ["new", null],
    header: ["broken", expect.stringContaining("is no name of a secret")],
    syntax: ["broken", expect.stringMatching(/^syntax\.star:1:\d+: /)],
    unknown: ["broken", expect.stringContaining("nothing_of_that_name")],
  });
  expect(await open(house, "header", ada)).toMatchObject({ source: "# @secrets: not a name\nresult = 1\n" });
  expect(await open(house, "bytes", ada)).toMatchObject({ source: "", hash: hashOf(Uint8Array.of(0xff, 0xfe, 0x00)) });
  const decided = await house.ask(
    "POST /api/scripts/header/verdict",
    { verdict: "approve", hash: "0".repeat(64) },
    ada,
  );
  expect(decided.status).toBe(400);
});

test("names that are none are not found, and lead nowhere", async () => {
  await using house = await openHouse({ scripts: { hello } });
  const ada = await house.logIn();
  for (const name of ["nothing", "..%2fhello", "hello.star", "%00", "HELLO", "x".repeat(3000)]) {
    for (const [route, body] of [
      [`GET /api/scripts/${name}`, undefined],
      [`POST /api/scripts/${name}/verdict`, { verdict: "approve", hash: hashOf(hello) }],
      [`POST /api/scripts/${name}/run`, {}],
    ] as const)
      expect([route, (await house.ask(route, body, ada)).status]).toEqual([route, 404]);
  }
  expect(house.faults).toEqual([]);
});

test("lists are read in pages, by name", async () => {
  const scripts = Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [name, "result = 1\n"]));
  await using house = await openHouse({ scripts });
  const ada = await house.logIn();
  const seen: unknown[] = [];
  for (let next: string | null = ""; next !== null;) {
    const after = next === "" ? "" : `&after=${next}`;
    const { json } = await house.ask(`GET /api/scripts?limit=2${after}`, undefined, ada);
    seen.push((json["scripts"] as Json[]).map(({ name }) => name));
    next = json["next"] as string | null;
  }
  expect(seen).toEqual([["a", "b"], ["c", "d"], ["e"]]);
});

async function run(house: House, name: string, body: object, as?: Record<string, string>): Promise<ScriptRun> {
  const answer = await house.ask(`POST /api/scripts/${name}/run`, body, as ?? (await house.logIn()));
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.json as unknown as ScriptRun;
}

test("a script is tried without approval, with nothing real in reach, and the log says by whom", async () => {
  await using house = await openHouse({
    scripts: {
      hello,
      sly: '# @secrets: STORED\ndef main(): return secrets.get("STORED")\ndef fetch(): return http.get("https://example.com")\ndef spin():\n    while True: pass\n',
    },
  });
  expect(await run(house, "hello", { input: ["Ada"] })).toMatchObject({
    outcome: "done",
    message: null,
    result: { structuredContent: { value: "hello Ada", output: "greeting" } },
  });
  expect(await run(house, "hello", { input: { name: "Bob" } })).toMatchObject({
    result: { structuredContent: { value: "hello Bob" } },
  });
  const secret = await run(house, "sly", {});
  expect(JSON.stringify(secret)).not.toContain(stored);
  expect(secret).toMatchObject({ result: { structuredContent: { value: "[REDACTED:STORED]" } } });
  expect(await run(house, "sly", { function: "fetch" })).toMatchObject({
    outcome: "EXECUTION_ERROR",
    result: null,
    message: expect.stringContaining("nothing is fetched in a dry run") as string,
  });
  expect(await run(house, "sly", { function: "spin" })).toMatchObject({
    outcome: "EXECUTION_ERROR",
    message: expect.stringContaining("steps") as string,
  });
  await house.audit.flush();
  const lines = await queryAudit(house.store, { tool: "scripts/try", principal: "ada" });
  expect(lines).toHaveLength(5);
  expect(lines[0]).toMatchObject({ outcome: "EXECUTION_ERROR", route: "people", input: { script: "sly.star" } });
  expect(await house.approvals.list()).toEqual([]);
});

test("what a person types into a trial does not bring a secret to the log or back", async () => {
  await using house = await openHouse({ scripts: { hello } });
  const { result } = await run(house, "hello", { input: [stored] });
  expect(JSON.stringify(result)).not.toContain(stored);
  await house.audit.flush();
  expect(JSON.stringify(await queryAudit(house.store, { tool: "scripts/try" }))).not.toContain(stored);
});

test("a live run is an agent's call: only what is approved, by the person, on record", async () => {
  await using house = await openHouse({ scripts: { hello }, tools: ["hello"] });
  const ada = await house.logIn();
  const early = await house.ask("POST /api/scripts/hello/run", { live: true }, ada);
  expect([early.status, early.json["message"]]).toEqual([403, expect.stringContaining("hello.star is pending")]);
  await house.ask("POST /api/scripts/hello/verdict", { verdict: "approve", hash: hashOf(hello) }, ada);
  expect(await run(house, "hello", { live: true, input: ["Ada"] })).toMatchObject({
    outcome: "done",
    result: { structuredContent: { value: "hello Ada" } },
  });
  expect(await run(house, "hello", { live: true, input: { name: "Bob" } })).toMatchObject({ outcome: "INVALID_INPUT" });
  await house.audit.flush();
  expect(await queryAudit(house.store, { tool: "script_run", principal: "ada" })).toMatchObject([
    { outcome: "done", route: "people", input: { name: "hello", function: "main", args: ["Ada"] } },
  ]);
  await house.join("bob", ["approvals"]);
  const lacking = await house.ask("POST /api/scripts/hello/run", { live: true }, await house.logIn("bob"));
  expect([lacking.status, lacking.json["message"]]).toEqual([403, expect.stringContaining("lacks the scope tools")]);
});

test.each<[string, unknown]>([
  ["a number as input", { input: 1 }],
  ["a text as input", { input: "Ada" }],
  ["live that is no truth", { live: "yes" }],
  ["a function that is no text", { function: 1 }],
  ["an unknown key", { args: [] }],
])("a run with %s is refused", async (_, body) => {
  await using house = await openHouse({ scripts: { hello } });
  expect((await house.ask("POST /api/scripts/hello/run", body, await house.logIn())).status).toBe(400);
});

test("a run of other bytes than those that were looked at is a conflict, and too many at once are told to wait", async () => {
  await using house = await openHouse({ scripts: { hello, slow: "def main(): time.sleep(1)\n" } });
  const ada = await house.logIn();
  const other = await house.ask("POST /api/scripts/hello/run", { hash: "0".repeat(64) }, ada);
  expect(other.status).toBe(409);
  const all = await Promise.all([1, 2, 3].map(() => house.ask("POST /api/scripts/slow/run", {}, ada)));
  expect(all.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 200, 503]);
});

test("a script that is wrong in every way a run can be is a result, not a fault", async () => {
  await using house = await openHouse({
    scripts: {
      loop: "x = [1]\nx.append(x)\nresult = x\n",
      none: "pass\n",
      huge: 'def main(): return "x" * 3000000\n',
    },
  });
  expect(await run(house, "loop", {})).toMatchObject({ outcome: "EXECUTION_ERROR" });
  expect(await run(house, "none", { input: [1] })).toMatchObject({ outcome: "INVALID_INPUT" });
  expect(await run(house, "none", { function: "_x" })).toMatchObject({ outcome: "INVALID_INPUT" });
  expect(await run(house, "huge", {})).toMatchObject({ result: null });
  expect(house.faults).toEqual([]);
});
