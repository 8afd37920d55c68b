import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "citty";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { server } from "biplane";
import { openStore } from "biplane/store";
import { openApprovals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import { queryAudit } from "../../packages/biplane/src/governance/audit/query.ts";
import { scriptApprovals } from "../../packages/biplane/src/admin/scripts/script-decisions.ts";
import { scriptsCommand } from "../../packages/biplane/src/cli/scripts.ts";
import { scriptPack } from "../../packages/biplane/src/pack/script/pack.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "biplane-scripts-cli-"));
});
afterEach(() => {
  process.exitCode = undefined;
  rmSync(folder, { recursive: true });
});

const write = (name: string, source: string) => writeFileSync(join(folder, `${name}.star`), source);

/** Runs `biplane scripts …` here, and gives what it printed. */
async function scripts(...words: string[]): Promise<string> {
  const out = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    const place = ["--root", folder, "--store", join(folder, "kept.db"), "--server", "gateway"];
    await runCommand(scriptsCommand, { rawArgs: [...words, ...place] });
    return out.mock.calls.map(([text]) => String(text)).join("");
  } finally {
    out.mockRestore();
  }
}

test("a script is looked at, approved before anyone asked, run, changed, compared and rejected", async () => {
  write(
    "hello",
    '# @description: Greets\ndef main(name = "you"):\n    print("greeting")\n    return "hello " + name\n',
  );
  expect(await scripts("list")).toBe("hello                    pending   Greets\n");
  const shown = await scripts("show", "hello");
  expect(shown).toContain("hello.star  pending\n");
  expect(shown).toContain('def main(name = "you"):\n');
  await expect(scripts("run", "hello")).rejects.toThrow("hello.star is pending");
  await expect(scripts("diff", "hello")).rejects.toThrow("has never been approved");
  const hash = /sha256: +(\w+)/.exec(shown)?.[1] ?? "";
  await expect(scripts("approve", "hello", "--sha256", "0".repeat(64))).rejects.toThrow(
    "has changed: its sha256 is now",
  );
  expect(await scripts("approve", "hello", "--sha256", hash)).toMatch(/^hello\.star {2}approved by person \S+ at 20/);
  expect(await scripts("run", "hello", "main", "Ada")).toMatch(
    /^printed:\n {2}greeting\nvalue: "hello Ada"\ntook [\d.]+ ms\n$/,
  );
  expect(await scripts("diff", "hello")).toBe("No changes since the last approval.\n");

  write("hello", '# @description: Greets\ndef main(name = "you"):\n    return "bye " + name\n');
  expect(await scripts("list")).toContain("modified");
  expect(await scripts("diff", "hello")).toContain('-    return "hello " + name\n+    return "bye " + name\n');
  await expect(scripts("run", "hello")).rejects.toThrow("hello.star is modified");
  expect(await scripts("reject", "hello", "--reason", "too sad")).toContain("reason:  too sad");
  await expect(scripts("run", "hello")).rejects.toThrow("hello.star is rejected (too sad)");

  await using store = await openStore(join(folder, "kept.db"));
  const entries = await queryAudit(store, { tool: "approvals/decide" });
  expect(entries).toHaveLength(2);
  for (const status of ["approved", "rejected"])
    expect(entries).toContainEqual(expect.objectContaining({ input: expect.objectContaining({ status }) as unknown }));
});

test("an approval from the terminal reaches a server that runs on the same store, and the call that waits", async () => {
  write("sum", "# @param a: integer\ndef main(a = 1): return a + 1\n");
  await using store = await openStore(join(folder, "kept.db"));
  await using approvals = openApprovals({ store, pollMs: 5 });
  const pack = scriptPack({
    root: folder,
    tools: ["sum"],
    workers: 1,
    approvals: scriptApprovals(approvals, "gateway"),
  });
  await using gateway = server({ name: "gateway", version: "1", packs: [pack], approver: approvals, store });
  const asked = new Promise((resolve) => approvals.onChange(resolve));
  const call = gateway.call("script_run", { name: "sum" });
  await asked;
  await scripts("approve", "sum");
  expect(await call).toMatchObject({ value: 2 });
  expect(await gateway.call("script_list", {})).toMatchObject({ scripts: [{ approval_status: "approved" }] });
});

test("tests run without approval, and with nothing real in reach", async () => {
  write(
    "checked",
    `# @secrets: KEY
def double(x): return x * 2
def test_double():
    print("doubling")
    if double(2) != 4: fail("no")
def test_secret(): return secrets.get("KEY")
def test_network(): http.get("https://example.com")
`,
  );
  const told = await scripts("test", "checked");
  expect(told).toMatch(/^ok {6}test_double\n {2}printed:\n {4}doubling\n {2}value: null\n {2}took [\d.]+ ms\n/);
  expect(told).toContain('value: "[REDACTED:KEY]"');
  expect(told).toContain("failed  test_network\n");
  expect(told).toContain("http is disabled in a dry run");
  expect(process.exitCode).toBe(1);
  await expect(scripts("test", "checked", "--live")).rejects.toThrow("checked.star is pending");
});

test("what a terminal would act on is shown, not done", async () => {
  write("sly", "# @description: nice\u001b[2J\u202e\nresult = 1 # \u001b[31m\r\n");
  for (const words of [["list"], ["show", "sly"], ["approve", "sly"]]) {
    const told = await scripts(...words);
    for (const mark of ["\u001b", "\u202e", "\r"]) expect(told).not.toContain(mark);
  }
});

test("it says where to look when it cannot know", async () => {
  await expect(runCommand(scriptsCommand, { rawArgs: ["list"] })).rejects.toThrow("The scripts folder is not set.");
  await expect(scripts("show", "nothing")).rejects.toThrow("script 'nothing' not found");
  await expect(scripts("show", "../x")).rejects.toThrow("not a valid script name");
});
