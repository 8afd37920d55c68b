import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test, vi } from "vitest";
import type { Server } from "biplane";
import { gitRemote } from "../../../src/pack/vault/git-remote.ts";
import { vaultPack } from "../../../src/pack/vault/pack.ts";
import { Playground, faultOf, textOf } from "../files/playground.ts";
import { Tripwire, git } from "../git/git-lab.ts";

/** A bare repository as the remote, someone else's clone of it, and a vault that is kept in step. */
function shared(ground: Playground, options: { notes?: Record<string, string>; autoSync?: boolean } = {}): Server {
  git(ground.folder("remote.git"), "init", "--quiet", "--bare", "--initial-branch=main");
  git(ground.path, "clone", "--quiet", ground.at("remote.git"), "theirs");
  git(ground.at("theirs"), "symbolic-ref", "HEAD", "refs/heads/main");
  if (options.notes) theyWrite(ground, options.notes);
  return synced(ground, options);
}

function synced(ground: Playground, { autoSync = true }: { autoSync?: boolean } = {}): Server {
  const repository = ground.at("remote.git");
  const remote = { repository, folder: ground.at("private"), freshForMs: 0, autoSync };
  return ground.serve(vaultPack({ root: ground.at("vault"), watch: false, git: remote }));
}

function theyWrite(ground: Playground, notes: Record<string, string>): void {
  for (const [name, text] of Object.entries(notes)) ground.write(`theirs/${name}`, text);
  git(ground.at("theirs"), "add", "--all");
  git(ground.at("theirs"), "commit", "--quiet", "--message=theirs");
  git(ground.at("theirs"), "push", "--quiet", "origin", "HEAD:main");
}

const remoteLog = (ground: Playground) => git(ground.at("remote.git"), "log", "--format=%s", "main").trim().split("\n");
const remoteFile = (ground: Playground, path: string) => git(ground.at("remote.git"), "show", `main:${path}`);

test("what others pushed is read, and what is written is committed and pushed", async () => {
  await using ground = new Playground();
  const notes = shared(ground, { notes: { "a.md": "from them" } });
  expect(await textOf(notes, "vault_read", { path: "a.md" })).toBe("from them");
  expect(await textOf(notes, "vault_write", { path: "deep/b.md", content: "from us" })).toBe(
    "Wrote and synced deep/b.md",
  );
  expect(
    await notes.call("vault_write", { path: "a.md", content: "both", commit_message: "--amend\n\nWhy" }),
  ).toMatchObject({
    synced: true,
  });
  expect(remoteLog(ground)).toEqual(["--amend", "Update b.md", "theirs"]);
  expect(remoteFile(ground, "deep/b.md")).toBe("from us");
  git(ground.at("theirs"), "pull", "--quiet", "--rebase", "origin", "main");
  theyWrite(ground, { "c.md": "found later" });
  expect(await notes.call("vault_search", { query: "later" })).toMatchObject({ total: 1 });
  expect(existsSync(ground.at("vault/.git"))).toBe(false);
  expect(lstatSync(ground.at("private")).mode & 0o077).toBe(0);
});

test("an empty repository gets its first commit", async () => {
  await using ground = new Playground();
  const notes = shared(ground);
  expect(await textOf(notes, "vault_list", {})).toBe("No files found");
  await notes.call("vault_write", { path: "first.md", content: "1" });
  expect(remoteLog(ground)).toEqual(["Update first.md"]);
});

test("both sides may go on at once, and nothing is lost", async () => {
  await using ground = new Playground();
  const notes = shared(ground, { notes: { "a.md": "1" } });
  await notes.call("vault_read", { path: "a.md" });
  theyWrite(ground, { "theirs.md": "t" });
  ground.write("vault/a.md", "changed by a person");
  await Promise.all([1, 2, 3].map((one) => notes.call("vault_write", { path: `ours-${one}.md`, content: "o" })));
  expect(git(ground.at("remote.git"), "ls-tree", "--name-only", "main").trim().split("\n")).toEqual(
    expect.arrayContaining(["a.md", "theirs.md", "ours-1.md", "ours-2.md", "ours-3.md"]),
  );
  expect(remoteFile(ground, "a.md")).toBe("changed by a person");
  expect(ground.read("vault/theirs.md")).toBe("t");
});

test("a conflict is told as a failure, and leaves the note as it was written", async () => {
  await using ground = new Playground();
  const notes = shared(ground, { notes: { "a.md": "1\n" } });
  await notes.call("vault_read", { path: "a.md" });
  theyWrite(ground, { "a.md": "theirs\n" });
  const fault = await faultOf(notes, "vault_write", { path: "a.md", content: "ours\n" });
  expect(fault).toMatchObject({ code: "EXECUTION_ERROR", details: { written: true } });
  expect(fault.message).toContain("was written, but not synced");
  expect(ground.read("vault/a.md")).toBe("ours\n");
  const text = await textOf(notes, "vault_read", { path: "a.md" });
  expect(text).toContain("ours\n");
  expect(text).toContain("could not be brought up to date");
  expect(remoteFile(ground, "a.md")).toBe("theirs\n");
});

test("a push that fails is never told as a success, nor does it reveal where the repository is", async () => {
  await using ground = new Playground();
  const notes = shared(ground, { notes: { "a.md": "1" } });
  await notes.call("vault_read", { path: "a.md" });
  rmSync(ground.at("remote.git"), { recursive: true });
  const fault = await faultOf(notes, "vault_write", { path: "b.md", content: "x" });
  expect(fault.message).toMatch(/^\/vault\/b.md was written, but not synced: git ls-remote failed/);
  expect(fault.message).not.toContain(ground.path);
  const answer = (await notes.call("vault_read", { path: "a.md" })) as { content: string; sync_error: string };
  expect(answer.content).toBe("1");
  expect(answer.sync_error).toContain("git ls-remote failed");
  expect(answer.sync_error).not.toContain(ground.path);
});

test("nothing goes to standard output, where a wire may be speaking", async () => {
  await using ground = new Playground();
  const notes = shared(ground, { notes: { "a.md": "1" } });
  rmSync(ground.at("remote.git"), { recursive: true });
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
  await using ground = new Playground();
  ground.write("vault/a.md", "older, or newer");
  ground.write("vault/untracked.md", "mine");
  const notes = shared(ground, { notes: { "a.md": "theirs", "b.md": "b" } });
  const fault = await faultOf(notes, "vault_write", { path: "c.md", content: "x" });
  expect(fault.message).toContain('1 files of the vault differ from the repository ("a.md")');
  expect(ground.read("vault/a.md")).toBe("older, or newer");
  expect(remoteLog(ground)).toEqual(["theirs"]);
  ground.write("vault/a.md", "theirs");
  await notes.call("vault_write", { path: "c.md", content: "x" });
  expect(remoteLog(ground)).toEqual(["Update c.md", "theirs"]);
  expect(git(ground.at("remote.git"), "ls-tree", "--name-only", "main")).not.toContain("untracked");
});

test("no hook, filter, monitor or helper runs, whatever the vault, the repository or the other side say", async () => {
  await using ground = new Playground();
  const wire = new Tripwire(ground);
  const notes = shared(ground, {
    notes: { "a.md": "1", ".gitattributes": "* filter=trap diff=trap merge=trap ident\n" },
  });
  wire.plant(ground, "remote.git");
  git(ground.folder("vault"), "init", "--quiet");
  wire.plant(ground, "vault/.git");
  await notes.call("vault_read", { path: "a.md" });
  await notes.call("vault_write", { path: "b.md", content: "x" });
  git(ground.at("theirs"), "pull", "--quiet", "--rebase", "origin", "main");
  // Their own push would run the hooks of the other side: with them out of the way the wires stay quiet.
  git(
    ground.at("theirs"),
    "push",
    "--quiet",
    `--receive-pack=git -c core.hooksPath=/dev/null receive-pack`,
    "origin",
    "HEAD:main",
  );
  await notes.call("vault_write", { path: "a.md", content: "2" });
  await notes.call("vault_list", { recursive: true });
  expect(wire.wasTripped).toBe(false);
  expect(remoteFile(ground, "b.md")).toBe("x");
  // The wires are live: plain git trips them.
  ground.write("theirs/c.md", "c");
  git(ground.at("theirs"), "add", "--all");
  git(ground.at("theirs"), "commit", "--quiet", "--message=c");
  try {
    git(ground.at("theirs"), "push", "--quiet", "--force", "origin", "HEAD:main");
  } catch (error) {
    expect(error).toBeDefined();
  }
  expect(wire.wasTripped).toBe(true);
});

test("modules that would be fetched by a command are refused with everything that came along", async () => {
  await using ground = new Playground();
  const wire = new Tripwire(ground);
  const hostile = `[submodule "s"]\n  path = s\n  url = ext::${wire.command}\n  update = !${wire.command}\n`;
  const notes = shared(ground, { notes: { "a.md": "1", ".gitmodules": hostile } });
  const fault = await faultOf(notes, "vault_read", { path: "a.md" });
  expect(fault.message).toMatch(/^\/vault\/a.md does not exist, but may elsewhere: git fetch failed/);
  expect(fault.message).not.toContain(ground.path);
  expect(wire.wasTripped).toBe(false);
});

test("a link in the repository becomes a file in the vault, not a way out", async () => {
  await using ground = new Playground();
  ground.write("canary.md", "CANARY");
  const notes = shared(ground, { notes: { "a.md": "1" } });
  await notes.call("vault_read", { path: "a.md" });
  execFileSync("ln", ["-s", "../canary.md", ground.at("theirs/link.md")]);
  execFileSync("ln", ["-s", "..", ground.at("theirs/up")]);
  theyWrite(ground, {});
  expect(await textOf(notes, "vault_read", { path: "link.md" })).toBe("../canary.md");
  expect(lstatSync(ground.at("vault/link.md")).isSymbolicLink()).toBe(false);
  expect(lstatSync(ground.at("vault/up")).isFile()).toBe(true);
});

test("a note cannot configure git by its name or its place", async () => {
  await using ground = new Playground();
  const notes = shared(ground, { notes: { "a.md": "1" } });
  for (const path of [".git/config", ".gitattributes", ".gitmodules", "x/.git/config"]) {
    await faultOf(notes, "vault_write", { path, content: "[core]\n\tfsmonitor = touch pwned" });
  }
  await notes.call("vault_write", { path: "--upload-pack=touch pwned", content: "x" });
  await notes.call("vault_write", { path: ":(exclude)a", content: "x" });
  await notes.call("vault_write", { path: "config", content: "[core]\n\tfsmonitor = touch pwned" });
  await notes.call("vault_write", { path: "HEAD", content: "ref: refs/heads/x" });
  expect(existsSync(ground.at("vault/pwned"))).toBe(false);
  expect(git(ground.at("remote.git"), "ls-tree", "--name-only", "main")).toContain("--upload-pack=touch pwned");
});

test("git that hangs is ended in time, and its children with it", async () => {
  await using ground = new Playground();
  const pack = vaultPack({
    root: ground.at("vault"),
    watch: false,
    git: { repository: "ssh://git@127.0.0.1:9/x", folder: ground.at("private"), freshForMs: 0 },
  });
  const notes = ground.serve(pack);
  ground.write("vault/a.md", "still here");
  const ssh = ground.write("bin/ssh", `#!/bin/sh\necho $$ > '${ground.at("ssh.pid")}'\nexec sleep 600\n`);
  chmodSync(ssh, 0o755);
  const path = process.env["PATH"];
  process.env["PATH"] = `${ground.at("bin")}:${path}`;
  const stop = new AbortController();
  try {
    const reading = notes.call("vault_read", { path: "a.md" }, { signal: stop.signal });
    await expect.poll(() => existsSync(ground.at("ssh.pid")), { timeout: 10_000 }).toBe(true);
    stop.abort();
    await expect(reading).rejects.toMatchObject({ code: "CANCELLED" });
  } finally {
    process.env["PATH"] = path;
  }
  const pid = Number(readFileSync(ground.at("ssh.pid"), "utf8"));
  await expect.poll(() => existsSync(join("/proc", String(pid), "exe")), { timeout: 10_000 }).toBe(false);
});

test("without autoSync nothing is fetched or pushed", async () => {
  await using ground = new Playground();
  const notes = shared(ground, { notes: { "a.md": "1" }, autoSync: false });
  expect(await textOf(notes, "vault_write", { path: "b.md", content: "x" })).toBe("Wrote b.md");
  expect(existsSync(ground.at("private"))).toBe(false);
  expect(remoteLog(ground)).toEqual(["theirs"]);
});

describe("an address that is refused", () => {
  it.each([
    ["ext::sh -c id", "blanks"],
    ["ext::id", "not https"],
    ["http://example.org/x.git", "not https"],
    ["git://example.org/x.git", "not https"],
    ["-oProxyCommand=id", "not https"],
    ["ssh://-oProxyCommand=id/x", "not https"],
    ["--upload-pack=id", "not https"],
    ["https://me:secret@example.org/x.git", "use `token`"],
  ])("%s", (repository, why) => {
    expect(() => gitRemote("/vault", { repository, folder: "/elsewhere" })).toThrow(why);
  });

  test("so is a place for git's data inside the vault, and a branch that is an option", () => {
    const repository = "https://example.org/x.git";
    for (const folder of ["/vault", "/vault/.data"]) {
      expect(() => gitRemote("/vault", { repository, folder })).toThrow("outside the vault");
    }
    expect(() => gitRemote("/vault", { repository, folder: "/vault-data" })).not.toThrow();
    expect(() => gitRemote("/vault", { repository, folder: "/x", branch: "--force" })).toThrow("branch");
  });

  test("a token is in no argument, and is named as a secret", () => {
    const options = { repository: "https://example.org/x.git", folder: "/x", token: "t0ken-value" };
    const { git: run, address, fetching, pushing } = gitRemote("/vault", options);
    expect(JSON.stringify([run.settings, address, fetching, pushing])).not.toContain("t0ken-value");
    const header = Buffer.from("x-access-token:t0ken-value").toString("base64");
    expect(run.environment).toMatchObject({ GIT_CONFIG_VALUE_0: `Authorization: Basic ${header}` });
  });
});
