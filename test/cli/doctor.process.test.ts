import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Finding } from "../../packages/biplane/src/cli/doctor/finding.ts";
import { showFindings } from "../../packages/biplane/src/cli/doctor/finding.ts";
import { checkStore } from "../../packages/biplane/src/cli/doctor/check-store.ts";
import { checkPort } from "../../packages/biplane/src/cli/doctor/check-port.ts";
import { checkProgram } from "../../packages/biplane/src/cli/doctor/check-program.ts";
import { checkConfigFile } from "../../packages/biplane/src/cli/doctor/check-config.ts";
import { checkTrainers } from "../../packages/biplane/src/cli/doctor/check-trainers.ts";
import { server } from "biplane";
import { openStore } from "biplane/store";
import { biplane } from "../support/project.ts";
import { needs } from "../support/needs.ts";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "biplane-doctor-"))));
afterAll(() => rm(folder, { recursive: true }));

const write = async (name: string, text: string, mode = 0o600): Promise<string> => {
  await mkdir(join(folder, name, ".."), { recursive: true });
  await writeFile(join(folder, name), text, { mode });
  return join(folder, name);
};
const settings = async (yaml: string) =>
  (await checkConfigFile({ file: await write("some.yaml", yaml), environment: {} })).findings;
const marks = (findings: readonly Finding[]) => findings.map(({ mark, what }) => `${mark} ${what}`);

test("the program looks at everything, ends well where only notes are made, and shows a way out for each", async () => {
  const { code, stdout } = await biplane(["doctor"], { cwd: folder, env: { BIPLANE_LISTEN: "http://127.0.0.1:0" } });
  expect(code).toBe(0);
  for (const what of ["node", "biplane", "clock", "config", "store", "address", "zod", "esbuild", "python"])
    expect(stdout).toMatch(new RegExp(`^(ok  |note)  ${what} `, "m"));
  for (const part of stdout.split(/^(?=note)/m).slice(1)) expect(part).toMatch(/→ \S/);
  expect(stdout.split("\n").filter((line) => line.length > 100)).toEqual([]);
});

test("--json says the same for programs, and a problem ends it with 1", async () => {
  await write("biplane.yaml", "mdoe: production\n");
  const { code, stdout } = await biplane(["doctor", "--json"], { cwd: folder });
  await rm(join(folder, "biplane.yaml"));
  expect(code).toBe(1);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  expect(findings.find(({ what }) => what === "config")).toEqual({
    mark: "problem",
    what: "config",
    found: expect.stringMatching(/^biplane\.yaml:1:1: mdoe is not a known key; did you mean mode\?/),
    wayOut: "fix it, then run biplane config check",
  });
});

test("a missing module is a problem, and so is an address that cannot be listened on", async () => {
  expect(marks(await settings("servers: [./gone.ts]\n"))).toEqual(["ok config", "problem module"]);
  expect(marks(await settings("listen: http://0.0.0.0:8000\n"))).toEqual([
    "ok config",
    "problem address",
    "note sign-in",
  ]);
  const open =
    "listen: http://0.0.0.0:8000\nauth: { openTrainerDoors: true }\nhttp: { publicUrl: http://tools.example.com }\n";
  expect(marks(await settings(open))).toEqual(["ok config", "note trainers", "note public address"]);
  expect(marks(await settings("mode: production\n"))).toEqual(["ok config", "note policies"]);
});

test("a store that is not there is not made by looking", async () => {
  const store = join(folder, "new", "store.db");
  expect(await checkStore({ store })).toEqual([
    { mark: "ok", what: "store", found: `${store} does not exist yet and will be created` },
  ]);
  expect((await checkStore({ store }))[0]?.mark).toBe("ok");
  expect(await checkStore({ store: folder })).toMatchObject([{ mark: "problem", what: "store" }]);
});

test("a store, its key and its people are looked at", async () => {
  const store = join(folder, "kept.db");
  await (await openStore(store)).close();
  expect(marks(await checkStore({ store }))).toEqual(["ok store", "note accounts", "note secrets key"]);
  await writeFile(`${store}.key`, `${"A".repeat(43)}=\n`, { mode: 0o644 });
  await chmod(`${store}.key`, 0o644);
  const [, , key] = await checkStore({ store });
  expect(key).toEqual({
    mark: "problem",
    what: "secrets key",
    found: `${store}.key is readable by other users (mode 644)`,
    wayOut: `chmod 600 ${store}.key`,
  });
  await chmod(`${store}.key`, 0o600);
  expect(marks(await checkStore({ store }))).toEqual(["ok store", "note accounts", "ok secrets key"]);
  await writeFile(`${store}.key`, "short");
  expect((await checkStore({ store }))[2]).toMatchObject({ mark: "problem", what: "secrets key" });
});

test("a file that is not a store is reported", async () => {
  const store = await write("text.db", "this is only text, and long enough not to look empty ".repeat(20));
  const [found] = await checkStore({ store });
  expect(found).toMatchObject({ mark: "problem", what: "store" });
  expect(found?.found).toMatch(/not an SQLite file, or is damaged/);
});

// Root may read everything, so that somebody else is asked to.
test("a store that this user may not use is named once", needs("another user"), async () => {
  await chmod(folder, 0o755);
  await write("shut.db", "");
  const { stdout } = await biplane(["doctor", "--json", "--store", "shut.db"], { cwd: folder, uid: 65_534 });
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  expect(findings.find(({ what }) => what === "store")?.found).toMatch(
    /^(?!.*shut\.db.*shut\.db).*No permission .*shut\.db/,
  );
});

test("an address is free, or taken by Biplane or by another program", async () => {
  expect(await checkPort("stdio")).toMatchObject({ mark: "ok" });
  expect(await checkPort("http://127.0.0.1:0")).toMatchObject({ mark: "ok" });
  await using ours = server({ name: "ours", version: "1.0.0" });
  const { url } = await ours.serve("http://127.0.0.1:0");
  expect(await checkPort(url)).toMatchObject({ mark: "note", found: `Biplane is already running at ${url}` });
  const other = createServer((_, response) => response.end("hello")).listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  expect(await checkPort(address)).toMatchObject({ mark: "problem", found: `another program uses ${address}` });
  other.close();
  expect(await checkPort("http://10.255.255.1:8000")).toMatchObject({ mark: "problem" });
});

test("an old Node and a clock that is behind are problems", () => {
  const found = checkProgram({ folder, nodeVersion: "18.20.1", now: Date.parse("2001-01-01") });
  expect(found.filter(({ mark }) => mark === "problem").map(({ what }) => what)).toEqual(["node", "clock"]);
  expect(checkProgram({ folder }).filter(({ mark }) => mark === "problem")).toEqual([]);
});

test("a Python that hangs, fails, chatters or is not there is no more than a note", async () => {
  const hangs = await write("hangs", "#!/bin/sh\nexec sleep 60\n", 0o755);
  const fails = await write("fails", "#!/bin/sh\nexit 3\n", 0o755);
  const chatters = await write("chatters", "#!/bin/sh\necho hello\n", 0o755);
  for (const python of [hangs, fails, chatters, join(folder, "nowhere")])
    expect(await checkTrainers({ python, timeoutMs: 300 })).toMatchObject([{ mark: "note", what: "python" }]);
});

test("names of servers and files cannot control the terminal", () => {
  const shown = showFindings([{ mark: "note", what: "x", found: "a\u001B[31mb", wayOut: "c\u0007" }], {
    columns: 80,
    style: (text) => text,
  });
  expect(shown).not.toContain("\u001B");
  expect(shown).not.toContain("\u0007");
});
