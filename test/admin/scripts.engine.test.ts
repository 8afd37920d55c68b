import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { queryAudit } from "../../packages/biplane/src/governance/audit/query.ts";
import type { ScriptDetail, ScriptRun } from "../../packages/biplane/src/admin/scripts/script-api.ts";
import { openGateway, stored } from "./openapi-server.ts";
import type { Gateway, Json } from "./openapi-server.ts";

const hello =
  '# @description: Greets\n# @secrets: STORED\ndef main(name = "you"):\n    print("greeting")\n    return "hello " + name\n';
const hashOf = (source: string | Uint8Array) => createHash("sha256").update(source).digest("hex");

async function open(gateway: Gateway, name: string, cookie: Record<string, string>): Promise<ScriptDetail> {
  return (await gateway.ask(`GET /api/scripts/${name}`, undefined, cookie)).json as unknown as ScriptDetail;
}

test("a script is read, approved, changed, compared and rejected, and its history has each decision", async () => {
  await using gateway = await openGateway({ scripts: { hello } });
  const ada = await gateway.logIn();
  expect((await gateway.ask("GET /api/scripts", undefined, ada)).json).toEqual({
    scripts: [
      {
        name: "hello",
        description: "Greets",
        hash: hashOf(hello),
        status: "pending",
        secrets: ["STORED"],
        changedAt: expect.stringMatching(/^2\d{3}-.*Z$/),
        decidedBy: null,
        decidedAt: null,
        lastApproval: null,
        fault: null,
      },
    ],
    next: null,
  });
  const fresh = await open(gateway, "hello", ada);
  expect(fresh).toMatchObject({ source: hello, approvedSource: null, history: [] });

  const yes = await gateway.ask("POST /api/scripts/hello/verdict", { verdict: "approve", hash: fresh.hash }, ada);
  expect(yes.status).toBe(200);
  expect(yes.json).toMatchObject({ status: "approved", decidedBy: "person ada", approvedSource: null });

  const bye = hello.replace("hello", "bye");
  gateway.write("hello", bye);
  const changed = await open(gateway, "hello", ada);
  expect(changed).toMatchObject({
    status: "modified",
    lastApproval: { by: "person ada" },
    approvedSource: hello,
    source: bye,
  });

  const no = { verdict: "reject", hash: changed.hash, reason: "too sad" };
  const rejected = (await gateway.ask("POST /api/scripts/hello/verdict", no, ada)).json as unknown as ScriptDetail;
  expect(rejected).toMatchObject({ status: "rejected", approvedSource: hello });
  expect(rejected.history.map(({ hash, verdict, by }) => [hash, verdict, by])).toEqual([
    [hashOf(bye), "rejected", "person ada"],
    [hashOf(hello), "approved", "person ada"],
  ]);
  await gateway.audit.flush();
  expect(await queryAudit(gateway.store, { tool: "approvals/decide" })).toHaveLength(2);
});

test("repeated decisions about the same bytes all stay in the history", async () => {
  await using gateway = await openGateway({ scripts: { hello }, tools: ["hello"] });
  const ada = await gateway.logIn();
  await gateway.join("bob", ["approvals"]);
  const bob = await gateway.logIn("bob");
  const hash = hashOf(hello);
  await gateway.ask("POST /api/scripts/hello/verdict", { verdict: "approve", hash }, ada);
  await gateway.ask("POST /api/scripts/hello/verdict", { verdict: "reject", hash, reason: "no" }, bob);
  const last = await gateway.ask("POST /api/scripts/hello/verdict", { verdict: "approve", hash }, bob);
  const { history, status } = last.json as unknown as ScriptDetail;
  expect(status).toBe("approved");
  expect(history.map(({ verdict, by }) => `${verdict} by ${by}`).sort()).toEqual([
    "approved by person ada",
    "approved by person bob",
    "rejected by person bob",
  ]);
  expect(await gateway.gateway.call("hello", {})).toMatchObject({ value: "hello you" });
});

test("a decision about other bytes than those that were read is a conflict", async () => {
  await using gateway = await openGateway({ scripts: { hello } });
  const ada = await gateway.logIn();
  const { hash } = await open(gateway, "hello", ada);
  gateway.write("hello", `${hello}# and more\n`);
  const late = await gateway.ask("POST /api/scripts/hello/verdict", { verdict: "approve", hash }, ada);
  expect(late.status).toBe(409);
  expect(late.json).toMatchObject({ error: "CONFLICT" });
  expect(late.json["message"]).toContain("has changed since you opened it");
  expect((await open(gateway, "hello", ada)).status).toBe("pending");
  expect(await gateway.approvals.grants()).toEqual([]);
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
  await using gateway = await openGateway({ scripts: { hello } });
  const answer = await gateway.ask("POST /api/scripts/hello/verdict", body, await gateway.logIn());
  expect(answer.status).toBe(400);
  expect(await gateway.approvals.grants()).toEqual([]);
  expect(await gateway.approvals.rejections()).toEqual([]);
});

test("an approval in the queue counts as a decision too, and an agent's call runs after an approval here", async () => {
  await using gateway = await openGateway({ scripts: { hello } });
  const ada = await gateway.logIn();
  const call = () => gateway.ask("POST /mcp/execute", { tool: "script_run", arguments: { name: "hello" } });
  expect((await call()).status).toBe(202);
  const [asked] = await gateway.approvals.list({ status: "waiting" });
  const answer = { ids: [asked?.id], verdict: "approve", scope: { kind: "always", for: "everyone" } };
  await gateway.ask("POST /api/approvals/answer", answer, ada);
  expect(await open(gateway, "hello", ada)).toMatchObject({ status: "approved", history: [{ verdict: "approved" }] });
  expect((await call()).json).toMatchObject({ result: { value: "hello you" } });
});

test("an unusable script has a reason, and its readable part is shown", async () => {
  await using gateway = await openGateway({
    scripts: {
      header: "# @secrets: not a name\nresult = 1\n",
      syntax: "def main(:\n",
      unknown: "def main(): return nothing_of_that_name\n",
      bytes: Uint8Array.of(0xff, 0xfe, 0x00),
      fine: "while True: break\nresult = http\n",
    },
  });
  const ada = await gateway.logIn();
  const { scripts } = (await gateway.ask("GET /api/scripts", undefined, ada)).json as { scripts: Json[] };
  const told = Object.fromEntries(scripts.map(({ name, status, fault }) => [name, [status, fault]]));
  expect(told).toEqual({
    bytes: ["broken", "bytes.star is not UTF-8 text."],
    fine: ["pending", null],
    header: ["broken", expect.stringContaining("is not a valid secret name")],
    syntax: ["broken", expect.stringMatching(/^syntax\.star:1:\d+: /)],
    unknown: ["broken", expect.stringContaining("nothing_of_that_name")],
  });
  expect(await open(gateway, "header", ada)).toMatchObject({ source: "# @secrets: not a name\nresult = 1\n" });
  expect(await open(gateway, "bytes", ada)).toMatchObject({
    source: "",
    hash: hashOf(Uint8Array.of(0xff, 0xfe, 0x00)),
  });
  const decided = await gateway.ask(
    "POST /api/scripts/header/verdict",
    { verdict: "approve", hash: "0".repeat(64) },
    ada,
  );
  expect(decided.status).toBe(400);
});

test("invalid names are not found, and cannot leave the folder", async () => {
  await using gateway = await openGateway({ scripts: { hello } });
  const ada = await gateway.logIn();
  for (const name of ["nothing", "..%2fhello", "hello.star", "%00", "HELLO", "x".repeat(3000)]) {
    for (const [route, body] of [
      [`GET /api/scripts/${name}`, undefined],
      [`POST /api/scripts/${name}/verdict`, { verdict: "approve", hash: hashOf(hello) }],
      [`POST /api/scripts/${name}/run`, {}],
    ] as const)
      expect([route, (await gateway.ask(route, body, ada)).status]).toEqual([route, 404]);
  }
  expect(gateway.faults).toEqual([]);
});

test("lists are read in pages, by name", async () => {
  const scripts = Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [name, "result = 1\n"]));
  await using gateway = await openGateway({ scripts });
  const ada = await gateway.logIn();
  const seen: unknown[] = [];
  for (let next: string | null = ""; next !== null;) {
    const after = next === "" ? "" : `&after=${next}`;
    const { json } = await gateway.ask(`GET /api/scripts?limit=2${after}`, undefined, ada);
    seen.push((json["scripts"] as Json[]).map(({ name }) => name));
    next = json["next"] as string | null;
  }
  expect(seen).toEqual([["a", "b"], ["c", "d"], ["e"]]);
});

async function run(gateway: Gateway, name: string, body: object, as?: Record<string, string>): Promise<ScriptRun> {
  const answer = await gateway.ask(`POST /api/scripts/${name}/run`, body, as ?? (await gateway.logIn()));
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.json as unknown as ScriptRun;
}

test("a dry run needs no approval, has no real access, and is in the audit log", async () => {
  await using gateway = await openGateway({
    scripts: {
      hello,
      sly: '# @secrets: STORED\ndef main(): return secrets.get("STORED")\ndef fetch(): return http.get("https://example.com")\ndef spin():\n    while True: pass\n',
    },
  });
  expect(await run(gateway, "hello", { input: ["Ada"] })).toMatchObject({
    outcome: "done",
    message: null,
    result: { structuredContent: { value: "hello Ada", output: "greeting" } },
  });
  expect(await run(gateway, "hello", { input: { name: "Bob" } })).toMatchObject({
    result: { structuredContent: { value: "hello Bob" } },
  });
  const secret = await run(gateway, "sly", {});
  expect(JSON.stringify(secret)).not.toContain(stored);
  expect(secret).toMatchObject({ result: { structuredContent: { value: "[REDACTED:STORED]" } } });
  expect(await run(gateway, "sly", { function: "fetch" })).toMatchObject({
    outcome: "EXECUTION_ERROR",
    result: null,
    message: expect.stringContaining("http is disabled in a dry run") as string,
  });
  expect(await run(gateway, "sly", { function: "spin" })).toMatchObject({
    outcome: "EXECUTION_ERROR",
    message: expect.stringContaining("steps") as string,
  });
  await gateway.audit.flush();
  const lines = await queryAudit(gateway.store, { tool: "scripts/try", principal: "ada" });
  expect(lines).toHaveLength(5);
  expect(lines[0]).toMatchObject({ outcome: "EXECUTION_ERROR", route: "people", input: { script: "sly.star" } });
  expect(await gateway.approvals.list()).toEqual([]);
});

test("a dry run puts no secret into the log or its result", async () => {
  await using gateway = await openGateway({ scripts: { hello } });
  const { result } = await run(gateway, "hello", { input: [stored] });
  expect(JSON.stringify(result)).not.toContain(stored);
  await gateway.audit.flush();
  expect(JSON.stringify(await queryAudit(gateway.store, { tool: "scripts/try" }))).not.toContain(stored);
});

test("a live run is a call by the person: it needs approval and is audited", async () => {
  await using gateway = await openGateway({ scripts: { hello }, tools: ["hello"] });
  const ada = await gateway.logIn();
  const early = await gateway.ask("POST /api/scripts/hello/run", { live: true }, ada);
  expect([early.status, early.json["message"]]).toEqual([403, expect.stringContaining("hello.star is pending")]);
  await gateway.ask("POST /api/scripts/hello/verdict", { verdict: "approve", hash: hashOf(hello) }, ada);
  expect(await run(gateway, "hello", { live: true, input: ["Ada"] })).toMatchObject({
    outcome: "done",
    result: { structuredContent: { value: "hello Ada" } },
  });
  expect(await run(gateway, "hello", { live: true, input: { name: "Bob" } })).toMatchObject({
    outcome: "INVALID_INPUT",
  });
  await gateway.audit.flush();
  expect(await queryAudit(gateway.store, { tool: "script_run", principal: "ada" })).toMatchObject([
    { outcome: "done", route: "people", input: { name: "hello", function: "main", args: ["Ada"] } },
  ]);
  await gateway.join("bob", ["approvals"]);
  const lacking = await gateway.ask("POST /api/scripts/hello/run", { live: true }, await gateway.logIn("bob"));
  expect([lacking.status, lacking.json["message"]]).toEqual([403, expect.stringContaining("lacks the scope tools")]);
});

test.each<[string, unknown]>([
  ["a number as input", { input: 1 }],
  ["a text as input", { input: "Ada" }],
  ["live that is no truth", { live: "yes" }],
  ["a function that is no text", { function: 1 }],
  ["an unknown key", { args: [] }],
])("a run with %s is refused", async (_, body) => {
  await using gateway = await openGateway({ scripts: { hello } });
  expect((await gateway.ask("POST /api/scripts/hello/run", body, await gateway.logIn())).status).toBe(400);
});

test("a run of other bytes than those that were read is a conflict, and too many at once are a 429", async () => {
  await using gateway = await openGateway({ scripts: { hello, slow: "def main(): time.sleep(1)\n" } });
  const ada = await gateway.logIn();
  const other = await gateway.ask("POST /api/scripts/hello/run", { hash: "0".repeat(64) }, ada);
  expect(other.status).toBe(409);
  const all = await Promise.all([1, 2, 3].map(() => gateway.ask("POST /api/scripts/slow/run", {}, ada)));
  expect(all.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 200, 503]);
});

test("a script that is wrong in every way a run can be is a result, not a fault", async () => {
  await using gateway = await openGateway({
    scripts: {
      loop: "x = [1]\nx.append(x)\nresult = x\n",
      none: "pass\n",
      huge: 'def main(): return "x" * 3000000\n',
    },
  });
  expect(await run(gateway, "loop", {})).toMatchObject({ outcome: "EXECUTION_ERROR" });
  expect(await run(gateway, "none", { input: [1] })).toMatchObject({ outcome: "INVALID_INPUT" });
  expect(await run(gateway, "none", { function: "_x" })).toMatchObject({ outcome: "INVALID_INPUT" });
  expect(await run(gateway, "huge", {})).toMatchObject({ result: null });
  expect(gateway.faults).toEqual([]);
});
