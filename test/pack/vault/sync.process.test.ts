import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, test, vi } from "vitest";
import type { Server } from "biplane";
import { gitRemote } from "../../../packages/biplane/src/pack/vault/git-remote.ts";
import { vaultPack } from "../../../packages/biplane/src/pack/vault/pack.ts";
import { Playground, faultOf, textOf } from "../files/playground.ts";
import { Tripwire, git } from "../git/git-lab.ts";
import { skipWithoutProgram } from "../../support/needs.ts";

beforeEach(skipWithoutProgram("git"));

/** A bare repository as the remote, someone else's clone of it, and a vault that is kept in step. */
function shared(playground: Playground, options: { notes?: Record<string, string>; autoSync?: boolean } = {}): Server {
  git(playground.folder("remote.git"), "init", "--quiet", "--bare", "--initial-branch=main");
  git(playground.path, "clone", "--quiet", playground.at("remote.git"), "theirs");
  git(playground.at("theirs"), "symbolic-ref", "HEAD", "refs/heads/main");
  if (options.notes) theyWrite(playground, options.notes);
  return synced(playground, options);
}

function synced(playground: Playground, { autoSync = true }: { autoSync?: boolean } = {}): Server {
  const repository = playground.at("remote.git");
  const remote = { repository, folder: playground.at("private"), freshForMs: 0, autoSync };
  return playground.serve(vaultPack({ root: playground.at("vault"), watch: false, git: remote }));
}

function theyWrite(playground: Playground, notes: Record<string, string>): void {
  for (const [name, text] of Object.entries(notes)) playground.write(`theirs/${name}`, text);
  git(playground.at("theirs"), "add", "--all");
  git(playground.at("theirs"), "commit", "--quiet", "--message=theirs");
  git(playground.at("theirs"), "push", "--quiet", "origin", "HEAD:main");
}

const remoteLog = (playground: Playground) =>
  git(playground.at("remote.git"), "log", "--format=%s", "main").trim().split("\n");
const remoteFile = (playground: Playground, path: string) => git(playground.at("remote.git"), "show", `main:${path}`);

test("what others pushed is read, and what is written is committed and pushed", async () => {
  await using playground = new Playground();
  const notes = shared(playground, { notes: { "a.md": "from them" } });
  expect(await textOf(notes, "vault_read", { path: "a.md" })).toBe("from them");
  expect(await textOf(notes, "vault_write", { path: "deep/b.md", content: "from us" })).toBe(
    "Wrote and synced deep/b.md",
  );
  expect(
    await notes.call("vault_write", { path: "a.md", content: "both", commit_message: "--amend\n\nWhy" }),
  ).toMatchObject({
    synced: true,
  });
  expect(remoteLog(playground)).toEqual(["--amend", "Update b.md", "theirs"]);
  expect(remoteFile(playground, "deep/b.md")).toBe("from us");
  git(playground.at("theirs"), "pull", "--quiet", "--rebase", "origin", "main");
  theyWrite(playground, { "c.md": "found later" });
  expect(await notes.call("vault_search", { query: "later" })).toMatchObject({ total: 1 });
  expect(existsSync(playground.at("vault/.git"))).toBe(false);
  expect(lstatSync(playground.at("private")).mode & 0o077).toBe(0);
});

test("an empty repository gets its first commit", async () => {
  await using playground = new Playground();
  const notes = shared(playground);
  expect(await textOf(notes, "vault_list", {})).toBe("No files found");
  await notes.call("vault_write", { path: "first.md", content: "1" });
  expect(remoteLog(playground)).toEqual(["Update first.md"]);
});

test("both sides may go on at once, and nothing is lost", async () => {
  await using playground = new Playground();
  const notes = shared(playground, { notes: { "a.md": "1" } });
  await notes.call("vault_read", { path: "a.md" });
  theyWrite(playground, { "theirs.md": "t" });
  playground.write("vault/a.md", "changed by a person");
  await Promise.all([1, 2, 3].map((one) => notes.call("vault_write", { path: `ours-${one}.md`, content: "o" })));
  expect(git(playground.at("remote.git"), "ls-tree", "--name-only", "main").trim().split("\n")).toEqual(
    expect.arrayContaining(["a.md", "theirs.md", "ours-1.md", "ours-2.md", "ours-3.md"]),
  );
  expect(remoteFile(playground, "a.md")).toBe("changed by a person");
  expect(playground.read("vault/theirs.md")).toBe("t");
});

test("a conflict is an error, and leaves the note as it was written", async () => {
  await using playground = new Playground();
  const notes = shared(playground, { notes: { "a.md": "1\n" } });
  await notes.call("vault_read", { path: "a.md" });
  theyWrite(playground, { "a.md": "theirs\n" });
  const fault = await faultOf(notes, "vault_write", { path: "a.md", content: "ours\n" });
  expect(fault).toMatchObject({ code: "EXECUTION_ERROR", details: { written: true } });
  expect(fault.message).toContain("was written but not synced");
  expect(playground.read("vault/a.md")).toBe("ours\n");
  const text = await textOf(notes, "vault_read", { path: "a.md" });
  expect(text).toContain("ours\n");
  expect(text).toContain("could not be updated");
  expect(remoteFile(playground, "a.md")).toBe("theirs\n");
});

test("a push that fails is an error that does not reveal the repository's URL", async () => {
  await using playground = new Playground();
  const notes = shared(playground, { notes: { "a.md": "1" } });
  await notes.call("vault_read", { path: "a.md" });
  rmSync(playground.at("remote.git"), { recursive: true });
  const fault = await faultOf(notes, "vault_write", { path: "b.md", content: "x" });
  expect(fault.message).toMatch(/^\/vault\/b.md was written but not synced: git ls-remote failed/);
  expect(fault.message).not.toContain(playground.path);
  const answer = (await notes.call("vault_read", { path: "a.md" })) as { content: string; sync_error: string };
  expect(answer.content).toBe("1");
  expect(answer.sync_error).toContain("git ls-remote failed");
  expect(answer.sync_error).not.toContain(playground.path);
});

test("nothing is written to standard output, which a protocol may use", async () => {
  await using playground = new Playground();
  const notes = shared(playground, { notes: { "a.md": "1" } });
  rmSync(playground.at("remote.git"), { recursive: true });
  const written: unknown[] = [];
  const output = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => written.push(chunk) > 0);
  try {
    await faultOf(notes, "vault_write", { path: "b.md", content: "x" });
  } finally {
    output.mockRestore();
  }
  expect(written).toEqual([]);
});

test("a vault that differs from the repository at first is left alone, and says where", async () => {
  await using playground = new Playground();
  playground.write("vault/a.md", "older, or newer");
  playground.write("vault/untracked.md", "mine");
  const notes = shared(playground, { notes: { "a.md": "theirs", "b.md": "b" } });
  const fault = await faultOf(notes, "vault_write", { path: "c.md", content: "x" });
  expect(fault.message).toContain('1 files of the vault differ from the repository ("a.md")');
  expect(playground.read("vault/a.md")).toBe("older, or newer");
  expect(remoteLog(playground)).toEqual(["theirs"]);
  playground.write("vault/a.md", "theirs");
  await notes.call("vault_write", { path: "c.md", content: "x" });
  expect(remoteLog(playground)).toEqual(["Update c.md", "theirs"]);
  expect(git(playground.at("remote.git"), "ls-tree", "--name-only", "main")).not.toContain("untracked");
});

test("no hook, filter, monitor or helper runs, whatever the vault, the repository or the other side say", async () => {
  await using playground = new Playground();
  const wire = new Tripwire(playground);
  const notes = shared(playground, {
    notes: { "a.md": "1", ".gitattributes": "* filter=trap diff=trap merge=trap ident\n" },
  });
  wire.plant(playground, "remote.git");
  git(playground.folder("vault"), "init", "--quiet");
  wire.plant(playground, "vault/.git");
  await notes.call("vault_read", { path: "a.md" });
  await notes.call("vault_write", { path: "b.md", content: "x" });
  git(playground.at("theirs"), "pull", "--quiet", "--rebase", "origin", "main");
  // Their own push would run the hooks of the other side: with them out of the way the wires stay quiet.
  git(
    playground.at("theirs"),
    "push",
    "--quiet",
    `--receive-pack=git -c core.hooksPath=/dev/null receive-pack`,
    "origin",
    "HEAD:main",
  );
  await notes.call("vault_write", { path: "a.md", content: "2" });
  await notes.call("vault_list", { recursive: true });
  expect(wire.wasTripped).toBe(false);
  expect(remoteFile(playground, "b.md")).toBe("x");
  // The wires are live: plain git trips them.
  playground.write("theirs/c.md", "c");
  git(playground.at("theirs"), "add", "--all");
  git(playground.at("theirs"), "commit", "--quiet", "--message=c");
  try {
    git(playground.at("theirs"), "push", "--quiet", "--force", "origin", "HEAD:main");
  } catch (error) {
    expect(error).toBeDefined();
  }
  expect(wire.wasTripped).toBe(true);
});

test("modules that would be fetched by a command are refused with everything that came along", async () => {
  await using playground = new Playground();
  const wire = new Tripwire(playground);
  const hostile = `[submodule "s"]\n  path = s\n  url = ext::${wire.command}\n  update = !${wire.command}\n`;
  const notes = shared(playground, { notes: { "a.md": "1", ".gitmodules": hostile } });
  const fault = await faultOf(notes, "vault_read", { path: "a.md" });
  expect(fault.message).toMatch(
    /^\/vault\/a.md does not exist locally, and the vault could not be updated: git fetch failed/,
  );
  expect(fault.message).not.toContain(playground.path);
  expect(wire.wasTripped).toBe(false);
});

test("a link in the repository becomes a file in the vault, not a way out", async () => {
  await using playground = new Playground();
  playground.write("canary.md", "CANARY");
  const notes = shared(playground, { notes: { "a.md": "1" } });
  await notes.call("vault_read", { path: "a.md" });
  execFileSync("ln", ["-s", "../canary.md", playground.at("theirs/link.md")]);
  execFileSync("ln", ["-s", "..", playground.at("theirs/up")]);
  theyWrite(playground, {});
  expect(await textOf(notes, "vault_read", { path: "link.md" })).toBe("../canary.md");
  expect(lstatSync(playground.at("vault/link.md")).isSymbolicLink()).toBe(false);
  expect(lstatSync(playground.at("vault/up")).isFile()).toBe(true);
});

test("a note cannot configure git by its name or its place", async () => {
  await using playground = new Playground();
  const notes = shared(playground, { notes: { "a.md": "1" } });
  for (const path of [".git/config", ".gitattributes", ".gitmodules", "x/.git/config"]) {
    await faultOf(notes, "vault_write", { path, content: "[core]\n\tfsmonitor = touch pwned" });
  }
  await notes.call("vault_write", { path: "--upload-pack=touch pwned", content: "x" });
  await notes.call("vault_write", { path: ":(exclude)a", content: "x" });
  await notes.call("vault_write", { path: "config", content: "[core]\n\tfsmonitor = touch pwned" });
  await notes.call("vault_write", { path: "HEAD", content: "ref: refs/heads/x" });
  expect(existsSync(playground.at("vault/pwned"))).toBe(false);
  expect(git(playground.at("remote.git"), "ls-tree", "--name-only", "main")).toContain("--upload-pack=touch pwned");
});

test("git that hangs is ended in time, and its children with it", async () => {
  await using playground = new Playground();
  const pack = vaultPack({
    root: playground.at("vault"),
    watch: false,
    git: { repository: "ssh://git@127.0.0.1:9/x", folder: playground.at("private"), freshForMs: 0 },
  });
  const notes = playground.serve(pack);
  playground.write("vault/a.md", "still here");
  const ssh = playground.write("bin/ssh", `#!/bin/sh\necho $$ > '${playground.at("ssh.pid")}'\nexec sleep 600\n`);
  chmodSync(ssh, 0o755);
  const path = process.env["PATH"];
  process.env["PATH"] = `${playground.at("bin")}:${path}`;
  const stop = new AbortController();
  try {
    const reading = notes.call("vault_read", { path: "a.md" }, { signal: stop.signal });
    await expect.poll(() => existsSync(playground.at("ssh.pid")), { timeout: 10_000 }).toBe(true);
    stop.abort();
    await expect(reading).rejects.toMatchObject({ code: "CANCELLED" });
  } finally {
    process.env["PATH"] = path;
  }
  const pid = Number(readFileSync(playground.at("ssh.pid"), "utf8"));
  await expect.poll(() => existsSync(join("/proc", String(pid), "exe")), { timeout: 10_000 }).toBe(false);
});

test("without autoSync nothing is fetched or pushed", async () => {
  await using playground = new Playground();
  const notes = shared(playground, { notes: { "a.md": "1" }, autoSync: false });
  expect(await textOf(notes, "vault_write", { path: "b.md", content: "x" })).toBe("Wrote b.md");
  expect(existsSync(playground.at("private"))).toBe(false);
  expect(remoteLog(playground)).toEqual(["theirs"]);
});

function remoteOf(given: { repository: string; folder: string; branch?: string; token?: string }) {
  const usual = { branch: "main", autoSync: true, authorName: "A", authorEmail: "a@localhost", freshForMs: 0 };
  return gitRemote("/vault", { ...usual, ...given });
}

describe("an address that is refused", () => {
  it.each([
    ["ext::sh -c id", "spaces"],
    ["ext::id", "not https"],
    ["http://example.org/x.git", "not https"],
    ["git://example.org/x.git", "not https"],
    ["-oProxyCommand=id", "not https"],
    ["ssh://-oProxyCommand=id/x", "not https"],
    ["--upload-pack=id", "not https"],
    ["https://me:secret@example.org/x.git", "use `token`"],
  ])("%s", (repository, why) => {
    expect(() => remoteOf({ repository, folder: "/elsewhere" })).toThrow(why);
  });

  test("so is a place for git's data inside the vault, and a branch that is an option", () => {
    const repository = "https://example.org/x.git";
    for (const folder of ["/vault", "/vault/.data"]) {
      expect(() => remoteOf({ repository, folder })).toThrow("outside the vault");
    }
    expect(() => remoteOf({ repository, folder: "/vault-data" })).not.toThrow();
    expect(() => remoteOf({ repository, folder: "/x", branch: "--force" })).toThrow("branch");
  });

  test("a token is in no argument, and is named as a secret", () => {
    const options = { repository: "https://example.org/x.git", folder: "/x", token: "t0ken-value" };
    const { git: run, address, fetching, pushing } = remoteOf(options);
    expect(JSON.stringify([run.settings, address, fetching, pushing])).not.toContain("t0ken-value");
    const header = Buffer.from("x-access-token:t0ken-value").toString("base64");
    expect(run.environment).toMatchObject({ GIT_CONFIG_VALUE_0: `Authorization: Basic ${header}` });
  });
});
