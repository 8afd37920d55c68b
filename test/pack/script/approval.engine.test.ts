import { linkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { server } from "biplane";
import type { BiplaneError } from "biplane";
import { openStore } from "biplane/store";
import { scriptPack } from "../../../packages/biplane/src/pack/script/pack.ts";
import { ada, agent, openGateway, sha256 } from "./script-server.ts";
import type { Gateway } from "./script-server.ts";

const good = 'result = "good"\n';
const evil = 'result = "evil"\n';

const failure = async (work: Promise<unknown>): Promise<BiplaneError> =>
  work.then(
    (value) => expect.fail(`it ran: ${JSON.stringify(value)}`),
    (error: BiplaneError) => error,
  );

const statuses = async (gateway: Gateway) => {
  const { scripts } = (await gateway.call("script_list", {})) as {
    scripts: { name: string; approval_status: string }[];
  };
  return Object.fromEntries(scripts.map(({ name, approval_status: status }) => [name, status]));
};

const firstWaiting = async (gateway: Gateway) => {
  const [waiting] = await gateway.approvals.list({ status: "waiting" });
  return waiting ?? expect.fail("nothing waits");
};

const pendingText =
  "Script 'weather.star' is pending approval. An administrator must review and approve this script before it can be executed.";
const modifiedText = "Script 'weather.star' has been modified since approval. Re-approval required.";

describe("a script", () => {
  test("waits until a person approves its bytes, then runs whatever its arguments, until it changes", async () => {
    await using gateway = await openGateway({ scripts: { weather: "def main(x = 1): return x\n" } });
    const first = await failure(gateway.run("weather"));
    expect(first.code).toBe("APPROVAL_PENDING");
    expect(first.message).toBe(pendingText);
    const waiting = await firstWaiting(gateway);
    expect(waiting.subject).toMatchObject({ script: "weather.star", source: "def main(x = 1): return x\n" });
    await gateway.approvals.answer(
      [waiting.id],
      { verdict: "approve", scope: { kind: "always", for: "everyone" } },
      ada,
    );
    expect(await gateway.run("weather")).toBe(1);
    expect(await gateway.run("weather", { args: [2] })).toBe(2);
    gateway.write("weather", "def main(x = 1): return x \n");
    const changed = await failure(gateway.run("weather"));
    expect(changed.code).toBe("APPROVAL_PENDING");
    expect(changed.message).toBe(modifiedText);
    expect(await statuses(gateway)).toEqual({ weather: "modified" });
  });

  test("is pending over MCP in one sentence, and nothing else", async () => {
    await using gateway = await openGateway({ scripts: { weather: good } });
    await using listening = await gateway.server.serve("http://127.0.0.1:0");
    const params = { name: "script_run", arguments: { name: "weather" } };
    const response = await fetch(`${listening.url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 3, method: "tools/call", params }),
    });
    expect(await response.json()).toMatchObject({
      jsonrpc: "2.0",
      id: 3,
      result: { content: [{ type: "text", text: `Error: ${pendingText}` }], isError: true },
    });
  });

  test("that was approved once runs once", async () => {
    await using gateway = await openGateway({ scripts: { weather: good } });
    await failure(gateway.run("weather"));
    await gateway.approvals.answer([(await firstWaiting(gateway)).id], { verdict: "approve" }, ada);
    expect(await gateway.run("weather")).toBe("good");
    expect((await failure(gateway.run("weather"))).code).toBe("APPROVAL_PENDING");
  });

  test("is pending, approved, modified, rejected: the list says which, by the name the list has", async () => {
    await using gateway = await openGateway({ scripts: { weather: good } });
    expect(await statuses(gateway)).toEqual({ weather: "pending" });
    await gateway.approve("weather", good);
    expect(await statuses(gateway)).toEqual({ weather: "approved" });
    gateway.write("weather", evil);
    expect(await statuses(gateway)).toEqual({ weather: "modified" });
    gateway.write("weather", good);
    expect(await statuses(gateway)).toEqual({ weather: "approved" });
    const [grant] = await gateway.approvals.grants();
    const approvalSubject = { server: "gateway", tool: "script_run", subject: grant?.subject };
    await gateway.approvals.decide(approvalSubject, { verdict: "reject", reason: "not this one" }, ada);
    expect(await statuses(gateway)).toEqual({ weather: "rejected" });
    expect(await gateway.approvals.grants()).toEqual([]);
    const refused = await failure(gateway.run("weather"));
    expect(refused).toMatchObject({ code: "APPROVAL_REJECTED", message: "The call was not approved: not this one" });
    await gateway.approve("weather", good);
    expect(await gateway.run("weather")).toBe("good");
  });
});

describe("the bypasses", () => {
  test("code given to script_exec is approved like a script, and for itself alone", async () => {
    await using gateway = await openGateway({ secrets: () => "top-secret-value" });
    const code = '# @secrets: X\nresult = len(secrets.get("X"))\n';
    expect((await failure(gateway.call("script_exec", { code }))).code).toBe("APPROVAL_PENDING");
    const waiting = await firstWaiting(gateway);
    expect(waiting).toMatchObject({ input: { code }, subject: { secrets: ["X"] } });
    await gateway.approvals.answer(
      [waiting.id],
      { verdict: "approve", scope: { kind: "always", for: "everyone" } },
      ada,
    );
    expect(await gateway.call("script_exec", { code })).toMatchObject({ value: 16 });
    expect((await failure(gateway.call("script_exec", { code: `${code} ` }))).code).toBe("APPROVAL_PENDING");
  });

  test("what was listed or reloaded in between is not what runs: nothing is cached", async () => {
    await using gateway = await openGateway({ scripts: { weather: good } });
    await gateway.approve("weather", good);
    gateway.write("weather", evil);
    await gateway.call("script_list", {});
    await gateway.call("script_reload", {});
    gateway.write("weather", good);
    expect(await gateway.run("weather")).toBe("good");
    gateway.write("weather", evil);
    await gateway.approve("weather", evil);
    expect(await gateway.run("weather")).toBe("evil");
  });

  test("a file swapped between the approval and the run does not run: the text that was hashed does", async () => {
    let gateway: Gateway | undefined;
    await using open = await openGateway({
      scripts: { weather: good },
      onApproved: () => gateway?.write("weather", evil),
    });
    gateway = open;
    await gateway.approve("weather", good);
    expect(await gateway.run("weather")).toBe("good");
    expect((await failure(gateway.run("weather"))).message).toContain(modifiedText);
  });

  test("a file changed while its call waits needs a new approval", async () => {
    await using gateway = await openGateway({ scripts: { weather: good } });
    const asked = new Promise<void>((resolve) => gateway.approvals.onChange(() => resolve()));
    const call = gateway.server.call("script_run", { name: "weather" }, { principal: agent });
    await asked;
    gateway.write("weather", evil);
    const again = new Promise<string>((resolve) =>
      gateway.approvals.onChange(({ id, status, subject }) => {
        if (status === "waiting" && (subject as { sha256: string }).sha256 === sha256(evil)) resolve(id);
      }),
    );
    await gateway.approvals.answer([(await firstWaiting(gateway)).id], { verdict: "approve" }, ada);
    await gateway.approvals.answer([await again], { verdict: "reject", reason: "evil" }, ada);
    expect(await failure(call)).toMatchObject({ code: "APPROVAL_REJECTED" });
  });

  test("two calls that share one input object share no script", async () => {
    const input = { name: "weather" };
    let inBetween = async (): Promise<void> => {};
    await using gateway = await openGateway({ scripts: { weather: good }, onApproved: () => inBetween() });
    await gateway.approve("weather", good);
    inBetween = async () => {
      gateway.write("weather", evil);
      await failure(gateway.call("script_run", input));
    };
    expect(await gateway.call("script_run", input)).toMatchObject({ value: "good" });
  });

  test.each([
    "weather.star",
    "weather.star.star",
    "../weather",
    "./weather",
    "sub/weather",
    "Weather",
    "weather\0",
    "weather\n",
    "wea\u200bther",
    "",
    "..",
  ])("%j is no name of a script", async (name) => {
    await using gateway = await openGateway({ scripts: { weather: good, "weather.star": evil } });
    await gateway.approve("weather", good);
    expect((await failure(gateway.run(name))).code).toBe("INVALID_INPUT");
  });

  test("an allowlist entry is for its bytes: the same name with others is pending", async () => {
    const allowlist = [{ name: "weather", sha256: sha256(good) }];
    await using gateway = await openGateway({ scripts: { weather: good, other: good }, allowlist });
    expect(await gateway.run("weather")).toBe("good");
    expect((await failure(gateway.run("other"))).code).toBe("APPROVAL_PENDING");
    gateway.write("weather", evil);
    const changed = await failure(gateway.run("weather"));
    expect(changed.code).toBe("APPROVAL_PENDING");
    expect(changed.message).toContain(modifiedText);
    expect((await statuses(gateway))["weather"]).toBe("modified");
  });

  test("an allowlist entry without a hash is for whatever the script contains", async () => {
    const allowlist = ["weather", "jokes.star"];
    await using gateway = await openGateway({ scripts: { weather: good, jokes: good, other: good }, allowlist });
    expect(await gateway.run("jokes")).toBe("good");
    gateway.write("weather", evil);
    expect(await gateway.run("weather")).toBe("evil");
    expect((await failure(gateway.run("other"))).code).toBe("APPROVAL_PENDING");
    expect(await statuses(gateway)).toEqual({ jokes: "approved", other: "pending", weather: "approved" });
  });

  test("a store that cannot be read approves nothing", async () => {
    await using store = await openStore(":memory:");
    await using gateway = await openGateway({ scripts: { weather: good }, approval: { store } });
    await gateway.approve("weather", good);
    expect(await gateway.run("weather")).toBe("good");
    await store.db.schema.alterTable("grants").renameTo("lost").execute();
    expect(await failure(gateway.run("weather"))).toMatchObject({ code: "APPROVAL_REJECTED" });
    await store.db.schema.alterTable("lost").renameTo("grants").execute();
    expect(await gateway.run("weather")).toBe("good");
  });

  test("without an approver, and without the pack's own policy, nothing runs", async () => {
    await using gateway = await openGateway({ scripts: { weather: good } });
    const pack = scriptPack({ root: gateway.root });
    await using alone = server({ name: "alone", version: "1", packs: [pack] });
    expect(await failure(alone.call("script_run", { name: "weather" }))).toMatchObject({ code: "APPROVAL_REJECTED" });
    await using stripped = server({ name: "stripped", version: "1", tools: pack.tools });
    expect(await failure(stripped.call("script_run", { name: "weather" }))).toMatchObject({ code: "POLICY_DENIED" });
  });

  test("a decision of another process applies to the next call", async () => {
    await using gateway = await openGateway({ scripts: { weather: good } });
    await using other = await openGateway({ scripts: { weather: good }, approval: { store: gateway.store } });
    expect((await failure(gateway.run("weather"))).code).toBe("APPROVAL_PENDING");
    await other.approve("weather", good);
    expect(await gateway.run("weather")).toBe("good");
    const [grant] = await gateway.approvals.grants();
    const approvalSubject = { server: "gateway", tool: "script_run", subject: grant?.subject };
    await other.approvals.decide(approvalSubject, { verdict: "reject", reason: "stop" }, ada);
    expect((await failure(gateway.run("weather"))).code).toBe("APPROVAL_REJECTED");
  });

  test("the caller cannot approve: neither its user, where users may, nor itself", async () => {
    await using gateway = await openGateway({ scripts: { weather: good }, approval: { byCaller: true } });
    const asked: string[] = [];
    const peer = {
      canAsk: () => true,
      ask: async (questions: object) => {
        asked.push(...Object.keys(questions));
        return Object.fromEntries(Object.keys(questions).map((key) => [key, { action: "accept", content: {} }]));
      },
    };
    const options = { principal: agent, patienceMs: 0, peer };
    expect(await failure(gateway.server.call("script_run", { name: "weather" }, options))).toMatchObject({
      code: "APPROVAL_PENDING",
    });
    expect(asked).toEqual([]);
    const { id, subject } = await firstWaiting(gateway);
    await expect(gateway.approvals.answer([id], { verdict: "approve" }, agent)).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
    const approvalSubject = { server: "gateway", tool: "script_run", subject };
    await expect(gateway.approvals.decide(approvalSubject, { verdict: "approve" }, agent)).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
    expect(await gateway.approvals.grants()).toEqual([]);
  });

  test("no pattern and no other script's approval covers a script", async () => {
    await using gateway = await openGateway({ scripts: { weather: good, other: good } });
    await gateway.approve("weather", good);
    expect((await failure(gateway.run("other"))).code).toBe("APPROVAL_PENDING");
    const scope = { kind: "pattern", pattern: { tool: "script_*" }, for: "everyone" } as const;
    const { id } = await firstWaiting(gateway);
    await expect(gateway.approvals.answer([id], { verdict: "approve", scope }, ada)).rejects.toThrow(
      "one exact subject",
    );
  });

  test("links and files with a second name are no scripts", async () => {
    await using gateway = await openGateway({ scripts: { weather: good } });
    await using outside = await openGateway({ scripts: { evil } });
    symlinkSync(join(outside.root, "evil.star"), join(gateway.root, "linked.star"));
    linkSync(join(outside.root, "evil.star"), join(gateway.root, "hard.star"));
    await gateway.approve("linked", evil);
    await gateway.approve("hard", evil);
    for (const name of ["linked", "hard"]) {
      const { code } = await failure(gateway.run(name));
      expect(code).toBe("EXECUTION_ERROR");
    }
  });

  test("what the reviewer sees is what was asked about, whatever the file holds by then", async () => {
    await using gateway = await openGateway({ scripts: { weather: evil } });
    await failure(gateway.run("weather"));
    gateway.write("weather", good);
    expect((await firstWaiting(gateway)).subject).toMatchObject({ source: evil, sha256: sha256(evil) });
  });

  test("the header is read in one way: further down nothing counts, neither for the list nor for the run", async () => {
    const source = [
      "# @description: The first",
      "# @secrets: ONE",
      "",
      "# @description: The second",
      "# @secrets: TWO",
      'def main(): return [secrets.get("ONE"), secrets.has("TWO"), secrets.list()]',
      'def two(): return secrets.get("TWO")',
    ].join("\n");
    await using gateway = await openGateway({ scripts: { weather: source }, secrets: (name) => `value-of-${name}` });
    await failure(gateway.run("weather"));
    expect((await firstWaiting(gateway)).subject).toMatchObject({ secrets: ["ONE"] });
    expect(await gateway.call("script_list", {})).toMatchObject({
      scripts: [{ description: "The first", required_secrets: ["ONE"] }],
    });
    await gateway.approve("weather", source);
    expect(await gateway.run("weather")).toEqual(["[REDACTED:ONE]", false, ["ONE"]]);
    expect((await failure(gateway.run("weather", { function: "two" }))).message).toContain('"TWO" is not declared');
  });
});
