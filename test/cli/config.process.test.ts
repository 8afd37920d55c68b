import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runIn } from "./command.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-cli-config-"));
  await writeFile(join(folder, "biplane.yaml"), gateway);
});
afterAll(() => rm(folder, { recursive: true }));

const gateway = `name: my-gateway
environments: [frozen-lake]
policies:
  - name: nights
    tool: refund_*
    time: { from: "20:00", to: "06:00", zone: Europe/Berlin }
    deny: No refunds at night
  - tool: refund_*
    arguments: { amount: { max: 100 } }
    allow: true
  - tool: refund_*
    principal: { scopes: [refunds] }
    ask: May {agent} refund {arguments.amount}?
secrets: { values: { CRM_TOKEN: "\${CRM_TOKEN}" } }
`;

async function run(words: readonly string[], environment: Record<string, string> = {}) {
  return runIn(folder, words, environment);
}

describe("biplane config check", () => {
  it("prints what would be served, and the source of each setting", async () => {
    const { code, stdout } = await run(["config", "check"], {
      CRM_TOKEN: "hunter2-hunter2",
      BIPLANE_MODE: "production",
    });
    expect(code).toBe(0);
    expect(stdout).toContain("biplane.yaml is valid.");
    expect(stdout).toMatch(/environments +frozen-lake/);
    expect(stdout).toMatch(/policies +3 rules, default deny/);
    expect(stdout).toMatch(/name +my-gateway +biplane\.yaml:1:7/);
    expect(stdout).toMatch(/mode +production +BIPLANE_MODE/);
    expect(stdout).toMatch(/logging\.level +info +default/);
    expect(stdout).not.toContain("hunter2");
  });

  it("ends with 1 and all that is wrong", async () => {
    await writeFile(join(folder, "wrong.yaml"), "mdoe: production\nenvironments: [frozen-lke]\n");
    const { code, stdout, stderr } = await run(["config", "check", "wrong.yaml"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^wrong\.yaml:1:1: mdoe is not a known key; did you mean mode\?\n {4}mdoe: production\n/);
    expect(stderr).toMatch(/^wrong\.yaml:2:16: .*did you mean frozen-lake/m);
  });
});

describe("biplane policy test", () => {
  it("explains a decision rule by rule, with the line of each", async () => {
    const words = ["policy", "test", "--tool", "refund_order", "--argument", "amount=500", "--argument=user.name=ada"];
    const who = ["--principal", "token:ada", "--scope", "x", "--scope", "refunds", "--agent", "claude"];
    const { code, stdout } = await run([...words, ...who, "--at", "2026-01-05T09:00"]);
    expect(code).toBe(0);
    expect(stdout).toBe(`refund_order {"amount": 500, "user": {"name": "ada"}}
  by token:ada with x, refunds, agent "claude", model unknown
  over mcp, in simulation, at 2026-01-05T09:00:00.000Z

1. nights (biplane.yaml:4): does not match
     it is Monday 10:00 in Europe/Berlin; the rule needs any day from 20:00 to 06:00 in Europe/Berlin
2. rule 2 (biplane.yaml:8): does not match
     arguments.amount is 500; the rule needs at most 100
3. rule 3 (biplane.yaml:11): matches

Decision: ask: May "claude" refund 500?
`);
  });

  it("reports that no rule matches, and exits with 1 if another decision was expected", async () => {
    const { code, stdout, stderr } = await run([
      "policy",
      "test",
      "--tool",
      "drop",
      "--arguments",
      "{}",
      "--expect",
      "allow",
    ]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/No rule matches, so policyDefault decides\.\n\nDecision: deny: No rule allows drop/);
    expect(stderr).toBe("biplane: Expected allow, but the decision is deny.\n");
  });

  it.each([
    [["--argument", "a=1"], /Pass the called tool/],
    [["--tool", "x", "--principal", "tken:ada"], /--principal must be kind:id .*token.*, not tken:ada/],
    [["--tool", "x", "--argument", "amount"], /--argument must be a pair such as amount=500/],
  ])("refuses %j", async (words, message) => {
    const { code, stderr } = await run(["policy", "test", ...words]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});

it("the schema for editors is printed and shipped", async () => {
  const { stdout } = await run(["config", "schema"]);
  expect(JSON.parse(stdout)).toMatchObject({ title: "biplane.yaml", properties: { listen: {}, packs: {} } });
  const shipped = fileURLToPath(new URL("../../packages/biplane/dist/biplane.schema.json", import.meta.url));
  expect(await readFile(shipped, "utf8")).toBe(stdout);
});
