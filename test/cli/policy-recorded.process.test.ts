import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { server, tool } from "biplane";
import { startHost } from "biplane/host";
import { describePostgres } from "../support/describe-postgres.ts";
import { runIn } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "biplane-policy-"));
let requestId = "";
let approvalId = "";

/** Two calls are made and recorded: one that runs, and one that waits for a person. */
beforeAll(async () => {
  writeFileSync(
    join(folder, "biplane.yaml"),
    `listen: http://127.0.0.1:0
store: ./store.db
logging: { level: error }
auth: { tokens: [{ id: ada, token: "\${ADA_TOKEN:-a-token-that-is-long-enough}", scopes: [refunds] }] }
policies:
  - name: small
    tool: refund
    arguments: { amount: { max: 10 } }
    allow: true
  - name: large
    tool: refund
    principal: { scopes: [refunds] }
    ask: Refund {arguments.amount}?
`,
  );
  const input = { type: "object", properties: { amount: { type: "number" } } } as const;
  const kit = server({ name: "kit", tools: { refund: tool({ input, run: ({ amount }) => `refunded ${amount}` }) } });
  const host = await startHost({ serve: [kit], folder, config: join(folder, "biplane.yaml") });
  for (const amount of [5, 500]) {
    const response = await fetch(`${host.url}/mcp/execute`, {
      method: "POST",
      headers: { authorization: "Bearer a-token-that-is-long-enough" },
      body: JSON.stringify({ tool: "refund", arguments: { amount }, agent: { agentId: "claude" } }),
    });
    const body = (await response.json()) as { approval?: { id: string } };
    approvalId = body.approval?.id ?? approvalId;
  }
  await host.close();
  const { stdout } = await runIn(folder, ["audit", "show", "-n", "1"]);
  ({ requestId } = JSON.parse(stdout) as { requestId: string });
});
afterAll(() => rmSync(folder, { recursive: true }));

const policyTest = (...words: string[]) => runIn(folder, ["policy", "test", ...words]);

test("a call is tried by its number in the audit log, with its caller, scopes, agent, route and time", async () => {
  const { code, stdout, stderr } = await policyTest("--call", "1");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(
    /^refund \{"amount": 5\}\n {2}by token:ada with refunds, agent "claude", model unknown\n {2}over execute, in simulation, at \d{4}-/,
  );
  expect(stdout).toMatch(/1\. small \(biplane\.yaml:6\): matches\n\nDecision: allow\n$/);
});

test.each([
  ["its request id", () => requestId],
  ["its approval id", () => approvalId],
  ["its number", () => "2"],
])("a call that waits is tried by %s, and its approval is looked up", async (_, id) => {
  const { stdout, stderr } = await policyTest("--call", id());
  expect(stderr).toBe("");
  expect(stdout).toContain("Decision: ask: Refund 500?");
  expect(stdout).toContain(`Approval: waits for an answer. Run biplane approvals approve ${approvalId}, or reject it.`);
});

test("options change what was recorded", async () => {
  const { stdout } = await policyTest("--call", "2", "--argument", "amount=3", "--expect", "allow");
  expect(stdout).toContain("Decision: allow");
  const other = await policyTest("--call", "2", "--principal", "token:bob");
  expect(other.stdout).toContain('the principal lacks the scope "refunds"');
});

test("a call is tried from a file", async () => {
  writeFileSync(
    join(folder, "call.json"),
    JSON.stringify({
      tool: "refund",
      arguments: { amount: 500 },
      principal: { kind: "token", id: "eve", scopes: ["refunds"] },
    }),
  );
  const { stdout } = await policyTest("--call", "call.json");
  expect(stdout).toContain("by token:eve with refunds");
  expect(stdout).toContain("Approval: none. The call would wait for a person.");
});

test("a pattern is tried before it is approved, and then approves", async () => {
  const tried = (max: number) =>
    policyTest("--call", "2", "--pattern", JSON.stringify({ arguments: { amount: { max } } }));
  expect((await tried(100)).stdout).toContain("Pattern: does not cover this call.");
  expect((await tried(1000)).stdout).toContain("Pattern: covers this call.");
  const pattern = JSON.stringify({ arguments: { amount: { max: 1000 } } });
  await runIn(folder, ["approvals", "approve", approvalId, "--pattern", pattern]);
  expect((await policyTest("--call", "2", "--argument", "amount=900")).stdout).toMatch(
    /Approval: approved by person .*, always \(.*\)\. The call would run\./,
  );
  expect((await policyTest("--call", "2", "--argument", "amount=2000")).stdout).toContain("Approval: none.");
});

describePostgres("a store in Postgres", (postgres) => {
  test("is asked whether the call was approved", async () => {
    const store = await postgres().database();
    const { stdout, stderr } = await policyTest("--tool", "refund", "--scope", "refunds", "--store", store);
    expect(stderr).toBe("");
    expect(stdout).toContain("Approval: none. The call would wait for a person.");
  });
});

test.each([
  [["--call", "77"], /No recorded call has the id 77\. biplane audit show/],
  [["--call", "nothing.json"], /Cannot read the call in nothing\.json/],
  [["--call", "2", "--pattern", "{"], /The pattern cannot be read/],
])("%j is refused", async (words, message) => {
  const { code, stderr } = await policyTest(...words);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(message);
});
