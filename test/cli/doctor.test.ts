import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Finding } from "../../src/cli/doctor/finding.ts";
import { showFindings } from "../../src/cli/doctor/finding.ts";
import { checkKept } from "../../src/cli/doctor/kept.ts";
import { checkPort } from "../../src/cli/doctor/port.ts";
import { checkProgram } from "../../src/cli/doctor/program.ts";
import { checkSettings } from "../../src/cli/doctor/settings.ts";
import { checkTrainers } from "../../src/cli/doctor/trainers.ts";
import { server } from "../../src/server/server.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { biplane } from "../support/project.ts";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "biplane-doctor-"))));
afterAll(() => rm(folder, { recursive: true }));

const write = async (name: string, text: string, mode = 0o600): Promise<string> => {
  await mkdir(join(folder, name, ".."), { recursive: true });
  await writeFile(join(folder, name), text, { mode });
  return join(folder, name);
};
const settings = async (yaml: string) =>
  (await checkSettings({ file: await write("some.yaml", yaml), environment: {} })).findings;
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
    wayOut: "mend it, then: biplane config check",
  });
});

test("a module that is not there is a problem, and so are doors that would not open", async () => {
  expect(marks(await settings("servers: [./gone.ts]\n"))).toEqual(["ok config", "problem module"]);
  expect(marks(await settings("listen: http://0.0.0.0:8000\n"))).toEqual([
    "ok config",
    "problem address",
    "note people",
  ]);
  const open =
    "listen: http://0.0.0.0:8000\nauth: { openTrainerDoors: true }\nhttp: { publicUrl: http://tools.example.com }\n";
  expect(marks(await settings(open))).toEqual(["ok config", "note trainers", "note public address"]);
  expect(marks(await settings("mode: production\n"))).toEqual(["ok config", "note policies"]);
});

test("a store that is not there is not made by looking", async () => {
  const store = join(folder, "new", "store.db");
  expect(await checkKept({ store })).toEqual([
    { mark: "ok", what: "store", found: `${store} will be made when it is needed` },
  ]);
  expect((await checkKept({ store }))[0]?.mark).toBe("ok");
  expect(await checkKept({ store: folder })).toMatchObject([{ mark: "problem", what: "store" }]);
});

test("a store, its key and its people are looked at", async () => {
  const store = join(folder, "kept.db");
  await sqliteStore(store).close();
  expect(marks(await checkKept({ store }))).toEqual(["ok store", "note people", "note secrets key"]);
  await writeFile(`${store}.key`, `${"A".repeat(43)}=\n`, { mode: 0o644 });
  await chmod(`${store}.key`, 0o644);
  const [, , key] = await checkKept({ store });
  expect(key).toEqual({
    mark: "problem",
    what: "secrets key",
    found: `${store}.key can be read by others (644)`,
    wayOut: `chmod 600 ${store}.key`,
  });
  await chmod(`${store}.key`, 0o600);
  expect(marks(await checkKept({ store }))).toEqual(["ok store", "note people", "ok secrets key"]);
  await writeFile(`${store}.key`, "short");
  expect((await checkKept({ store }))[2]).toMatchObject({ mark: "problem", what: "secrets key" });
});

test("a file that is no store is told as such", async () => {
  const store = await write("text.db", "this is only text, and long enough not to look empty ".repeat(20));
  const [found] = await checkKept({ store });
  expect(found).toMatchObject({ mark: "problem", what: "store" });
  expect(found?.found).toMatch(/no SQLite file, or it is damaged/);
});

// Root may read everything, so that somebody else is asked to.
test.runIf(process.getuid?.() === 0)("a store that this user may not use is named once", async () => {
  await chmod(folder, 0o755);
  await write("shut.db", "");
  const { stdout } = await biplane(["doctor", "--json", "--store", "shut.db"], { cwd: folder, uid: 65_534 });
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  expect(findings.find(({ what }) => what === "store")?.found).toMatch(/^(?!.*shut\.db.*shut\.db).*shut\.db may not/);
});

test("an address is free, or taken by Biplane, or by somebody else", async () => {
  expect(await checkPort("stdio")).toMatchObject({ mark: "ok" });
  expect(await checkPort("http://127.0.0.1:0")).toMatchObject({ mark: "ok" });
  await using ours = server({ name: "ours", version: "1.0.0" });
  const { url } = await ours.serve("http://127.0.0.1:0");
  expect(await checkPort(url)).toMatchObject({ mark: "note", found: `Biplane answers at ${url} already` });
  const other = createServer((_, response) => response.end("hello")).listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  expect(await checkPort(address)).toMatchObject({ mark: "problem", found: `another program listens at ${address}` });
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

test("what a server or file is called does nothing to the terminal", () => {
  const shown = showFindings([{ mark: "note", what: "x", found: "a\u001B[31mb", wayOut: "c\u0007" }], {
    columns: 80,
    style: (text) => text,
  });
  expect(shown).not.toContain("\u001B");
  expect(shown).not.toContain("\u0007");
});
