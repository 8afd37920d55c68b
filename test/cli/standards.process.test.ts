import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openAudit } from "biplane/governance";
import { openStore } from "biplane/store";
import { connect } from "biplane/client";
import { startHost } from "biplane/host";
import { openSkills } from "biplane/skills";
import { entry } from "../governance/audit/fixture.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runHere } from "./command.ts";

test("the audit log is signed, exported and verified, and a rewritten one is found", async () => {
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const store = ["--store", at("store.db")];
  {
    await using opened = await openStore(at("store.db"));
    await using audit = openAudit({ store: opened, onFault: (fault) => expect.unreachable(String(fault)) });
    for (const request of ["1", "2", "3"]) void audit.record(entry(request));
  }
  const key = ["--key", at("key.pem")];
  const publicKey = ["--key", at("key.pem.pub")];
  const checkpoint = await runHere("audit", "checkpoint", ...key, ...store);
  expect(checkpoint).toMatchObject({ code: 0, stderr: "" });
  await writeFile(at("monday.jwt"), checkpoint.stdout);
  const verify = () => runHere("audit", "verify", "--checkpoint", at("monday.jwt"), ...publicKey, ...store);
  expect((await verify()).stdout).toContain("intact: 3 lines");
  const exported = await runHere("audit", "export", at("records.jsonl"), ...key, ...store);
  expect(exported.stdout).toContain("Wrote 3 records");
  const checked = await runHere("audit", "verify", at("records.jsonl"), ...publicKey);
  expect(checked.stdout).toMatch(/^The export is intact: 3 records\. It was signed at 20/);
  {
    await using opened = await openStore(at("store.db"));
    await opened.db.deleteFrom("audit").where("sequence", "=", 3).execute();
  }
  expect(await verify()).toMatchObject({ code: 1, stderr: expect.stringContaining("tampered with") as string });
  const withoutKey = await runHere("audit", "verify", "--checkpoint", at("monday.jwt"), ...store);
  expect(withoutKey.stderr).toContain("--checkpoint needs --key");
  expect((await readdir(folder.path)).filter((name) => name.endsWith(".part"))).toEqual([]);
});

test("a config file offers the skills of a folder", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "refund"));
  await writeFile(join(folder.path, "refund", "SKILL.md"), "---\nname: refund\ndescription: Refund\n---\nAsk first.\n");
  await writeFile(join(folder.path, "biplane.yaml"), "skills: [./refund]\nlisten: http://127.0.0.1:0\n");
  await using host = await startHost({ config: join(folder.path, "biplane.yaml") });
  await using client = await connect(`${host.url}/mcp`);
  const skills = openSkills(client, { origin: "biplane" });
  const [skill] = await skills.list();
  expect((await skills.load(skill as NonNullable<typeof skill>)).instructions).toBe("Ask first.\n");
});

test("biplane registry writes server.json once", async () => {
  await using folder = await temporaryFolder();
  const out = join(folder.path, "server.json");
  const module = join(folder.path, "crm.mjs");
  await writeFile(
    module,
    `import { server } from "biplane";\nexport default server({ name: "crm", description: "d" });\n`,
  );
  const words = [
    "registry",
    module,
    "--name",
    "com.example/crm",
    "--url",
    "https://tools.example.com/mcp",
    "--out",
    out,
  ];
  expect(await runHere(...words)).toMatchObject({ code: 0, stdout: expect.stringContaining("Wrote") as string });
  expect(JSON.parse(await readFile(out, "utf8"))).toMatchObject({ name: "com.example/crm", version: "0.0.0" });
  expect((await runHere(...words)).stderr).toContain("Pass --force to overwrite it");
});
