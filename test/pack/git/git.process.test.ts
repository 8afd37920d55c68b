import { existsSync, linkSync, mkdirSync, symlinkSync } from "node:fs";
import { beforeEach, describe, expect, it, test } from "vitest";
import type { Server } from "biplane";
import { gitOptions } from "../../../packages/biplane/src/pack/git/options.ts";
import { gitPack } from "../../../packages/biplane/src/pack/git/pack.ts";
import { compileConfig } from "../../../packages/core/src/tool/schema.ts";
import { Playground, faultOf, textOf } from "../files/playground.ts";
import { Tripwire, git } from "./git-lab.ts";
import { skipWithoutProgram } from "../../support/needs.ts";

beforeEach(skipWithoutProgram("git"));

/** A repository with one commit, and the pack over it. */
function repository(playground: Playground): Server {
  git(playground.folder("repo"), "init", "--quiet", "--initial-branch=main");
  playground.write("repo/a.txt", "one\n");
  git(playground.at("repo"), "add", ".");
  git(playground.at("repo"), "commit", "--quiet", "--message=first");
  return playground.serve(gitPack({ root: playground.at("repo") }));
}

test("stages, commits and reports the result as git does", async () => {
  await using playground = new Playground();
  const kit = repository(playground);
  expect(await textOf(kit, "git_status", {})).toBe("On branch main\nNo changes");
  playground.write("repo/a.txt", "two\n");
  playground.write("repo/deep/new é.txt", "new\n");
  expect(await kit.call("git_status")).toEqual({
    branch: "main",
    files: [
      { path: "a.txt", staged: " ", unstaged: "M" },
      { path: "deep/", staged: "?", unstaged: "?" },
    ],
  });
  expect(await textOf(kit, "git_diff", {})).toContain("-one\n+two\n");
  expect(await kit.call("git_add", { paths: ["."] })).toEqual({ paths: ["deep/new é.txt", "a.txt"] });
  expect(await textOf(kit, "git_diff", { staged: true, paths: ["deep"] })).toContain("+new");
  const { hash } = (await kit.call("git_commit", { message: "second\n\n--amend" })) as { hash: string };
  expect(git(playground.at("repo"), "rev-parse", "main").trim()).toBe(hash);
  expect(git(playground.at("repo"), "status", "--porcelain")).toBe("");
  expect(await kit.call("git_log")).toMatchObject({
    commits: [{ hash, author: "Biplane <agent@localhost>", message: "second\n\n--amend" }, { message: "first" }],
  });
  expect(await textOf(kit, "git_show", { revision: "HEAD~1", path: "a.txt" })).toBe("one\n");
  expect(await textOf(kit, "git_show", {})).toContain("+two");
  expect(await textOf(kit, "git_diff", { revision: "HEAD~1..HEAD", paths: ["a.txt"] })).toContain("+two");
  expect((await faultOf(kit, "git_commit", { message: "nothing" })).message).toContain("git commit failed");
  git(playground.at("repo"), "rm", "--quiet", "--cached", "a.txt");
  expect(await kit.call("git_status")).toMatchObject({ files: [{ path: "a.txt", staged: "D" }, { path: "a.txt" }] });
});

test("makes branches and goes to them, and the repository follows", async () => {
  await using playground = new Playground();
  const kit = repository(playground);
  await kit.call("git_branch", { action: "create", name: "topic/one" });
  expect(await kit.call("git_branch", { action: "switch", name: "topic/one" })).toMatchObject({
    current: "topic/one",
    branches: [{ name: "main" }, { name: "topic/one" }],
  });
  expect(git(playground.at("repo"), "symbolic-ref", "HEAD").trim()).toBe("refs/heads/topic/one");
  playground.write("repo/b.txt", "b");
  await kit.call("git_add", { paths: ["b.txt"] });
  await kit.call("git_commit", { message: "on topic" });
  await kit.call("git_branch", { action: "switch", name: "main" });
  expect(existsSync(playground.at("repo/b.txt"))).toBe(false);
  expect(await kit.call("git_log", { revision: "main..topic/one" })).toMatchObject({
    commits: [{ message: "on topic" }],
  });
  expect((await faultOf(kit, "git_branch", { action: "switch" })).message).toContain("give its name");
  git(playground.at("repo"), "checkout", "--quiet", "--detach", "topic/one");
  expect(await kit.call("git_status")).toMatchObject({ branch: null });
  playground.write("repo/c.txt", "c");
  await kit.call("git_add", { paths: ["c.txt"] });
  const { hash } = (await kit.call("git_commit", { message: "on no branch" })) as { hash: string };
  expect(git(playground.at("repo"), "rev-parse", "HEAD").trim()).toBe(hash);
});

test("nothing that a repository's config, hooks or attributes name is ever run", async () => {
  await using playground = new Playground();
  const wire = new Tripwire(playground);
  const kit = repository(playground);
  git(playground.at("repo"), "branch", "other");
  wire.plant(playground, "repo/.git");
  playground.write("repo/.gitattributes", "* filter=trap diff=trap merge=trap\n");
  playground.write("repo/a.txt", "changed\n");
  for (const [tool, input] of [
    ["git_status", {}],
    ["git_diff", {}],
    ["git_add", { paths: ["."] }],
    ["git_diff", { staged: true }],
    ["git_commit", { message: "m" }],
    ["git_log", {}],
    ["git_show", {}],
    ["git_show", { path: "a.txt" }],
    ["git_branch", { action: "create", name: "third" }],
    ["git_branch", { action: "switch", name: "other" }],
  ] as const) {
    await kit.call(tool, input);
  }
  expect(wire.wasTripped).toBe(false);
  // The wires are live: plain git trips them.
  try {
    git(playground.at("repo"), "diff", "main");
  } catch (error) {
    expect(error).toBeDefined();
  }
  expect(wire.wasTripped).toBe(true);
});

test("the config of a repository inside the repository is not used either", async () => {
  await using playground = new Playground();
  const wire = new Tripwire(playground);
  const kit = repository(playground);
  git(playground.folder("inner"), "init", "--quiet");
  playground.write("inner/x.txt", "x");
  git(playground.at("inner"), "add", ".");
  git(playground.at("inner"), "commit", "--quiet", "--message=inner");
  git(playground.at("repo"), "submodule", "--quiet", "add", playground.at("inner"), "sub");
  git(playground.at("repo"), "commit", "--quiet", "--message=sub");
  playground.write("repo/sub/x.txt", "changed");
  wire.plant(playground, "repo/.git/modules/sub");
  playground.write("repo/sub/.gitattributes", "* filter=trap\n");
  for (const [tool, input] of [
    ["git_status", {}],
    ["git_diff", {}],
    ["git_diff", { revision: "HEAD" }],
    ["git_add", { paths: [".", "sub"] }],
    ["git_show", {}],
  ] as const) {
    await kit.call(tool, input);
  }
  expect(wire.wasTripped).toBe(false);
  // The wires are live: plain git looks into the inner repository and trips them.
  git(playground.at("repo"), "-c", "core.fsmonitor=false", "status");
  expect(wire.wasTripped).toBe(true);
});

describe("arguments that would be options, magic or ways out", () => {
  it.each([
    ["git_log", { revision: "--output=pwned" }],
    ["git_log", { revision: "-n1" }],
    ["git_log", { revision: ":/first" }],
    ["git_log", { revision: "HEAD --output=pwned" }],
    ["git_log", { revision: "HEAD", paths: ["../outside"] }],
    ["git_show", { revision: "HEAD:a.txt" }],
    ["git_show", { revision: "HEAD", path: "../../etc/passwd" }],
    ["git_show", { revision: "HEAD", path: ".git/config" }],
    ["git_diff", { revision: "--no-index" }],
    ["git_diff", { revision: "--output=pwned" }],
    ["git_diff", { paths: ["/etc/passwd"] }],
    ["git_diff", { paths: [".git/config"] }],
    ["git_add", { paths: ["--all", "../x"] }],
    ["git_add", { paths: ["/etc/passwd"] }],
    ["git_branch", { action: "create", name: "--delete" }],
    ["git_branch", { action: "create", name: "a..b" }],
    ["git_branch", { action: "create", name: "x", start: "--force" }],
    ["git_branch", { action: "switch", name: "-c" }],
    ["git_branch", { action: "switch", name: "HEAD" }],
  ])("%s %j", async (tool, input) => {
    await using playground = new Playground();
    const kit = repository(playground);
    expect(await faultOf(kit, tool, input)).toMatchObject({ code: "INVALID_INPUT" });
    expect(existsSync(playground.at("repo/pwned"))).toBe(false);
  });

  test("a path is a path, also when it looks like magic or an option", async () => {
    await using playground = new Playground();
    const kit = repository(playground);
    playground.write("repo/--all", "x");
    playground.write("repo/other.txt", "x");
    expect(await kit.call("git_add", { paths: ["--all"] })).toEqual({ paths: ["--all"] });
    expect(await kit.call("git_add", { paths: [":(glob)**"] })).toEqual({ paths: [] });
  });
});

describe("a repository that leads elsewhere is refused", () => {
  it.each<[string, (playground: Playground) => void, string]>([
    ["no repository", (playground) => playground.folder("repo"), "missing"],
    [
      "a .git that is a file",
      (playground) => playground.write("repo/.git", `gitdir: ${playground.at("other/.git")}\n`),
      "not a regular folder",
    ],
    [
      "a .git that is a link",
      (playground) => symlinkSync(playground.at("other/.git"), playground.at("repo/.git")),
      "not a regular folder",
    ],
    [
      "objects of another repository",
      (playground) => {
        git(playground.at("repo"), "init", "--quiet");
        playground.write("repo/.git/objects/info/alternates", playground.at("other/.git/objects"));
      },
      "refers to data outside the repository",
    ],
    [
      "a common folder",
      (playground) => {
        git(playground.at("repo"), "init", "--quiet");
        playground.write("repo/.git/commondir", playground.at("other/.git"));
      },
      "refers to data outside the repository",
    ],
    [
      "a HEAD that is no reference",
      (playground) => {
        git(playground.at("repo"), "init", "--quiet");
        playground.write("repo/.git/HEAD", "ref: ../../other/.git/HEAD\n");
      },
      "HEAD has an unknown format",
    ],
  ])("%s", async (_, spoil, message) => {
    await using playground = new Playground();
    git(playground.folder("other"), "init", "--quiet");
    mkdirSync(playground.at("repo"), { recursive: true });
    spoil(playground);
    const kit = playground.serve(gitPack({ root: playground.at("repo") }));
    const fault = await faultOf(kit, "git_status", {});
    expect(fault.message).toContain(message);
    expect(fault.message).not.toContain(playground.path);
  });
});

test("a file with a second name outside is not staged, where it could be shown", async () => {
  await using playground = new Playground();
  const kit = repository(playground);
  linkSync(playground.write("canary", "CANARY"), playground.at("repo/hard"));
  symlinkSync(playground.at("canary"), playground.at("repo/soft"));
  expect((await faultOf(kit, "git_add", { paths: ["."] })).message).toContain("hard link");
  await kit.call("git_add", { paths: ["soft"] });
  expect(await textOf(kit, "git_diff", { staged: true })).not.toContain("CANARY");
});

test("a merge that is under way is not committed over", async () => {
  await using playground = new Playground();
  const kit = repository(playground);
  playground.write("repo/.git/MERGE_HEAD", git(playground.at("repo"), "rev-parse", "HEAD"));
  expect((await faultOf(kit, "git_commit", { message: "m" })).message).toContain("MERGE_HEAD");
  expect((await faultOf(kit, "git_add", { paths: ["."] })).message).toContain("Finish it first");
});

test("an answer that is too long is cut, and says so", async () => {
  await using playground = new Playground();
  repository(playground);
  const kit = playground.serve(gitPack({ root: playground.at("repo"), maxBytes: 1000, canWrite: false }));
  playground.write("repo/a.txt", "x".repeat(80).concat("\n").repeat(10_000));
  const { content, truncated } = (await kit.call("git_diff")) as { content: string; truncated: boolean };
  expect(truncated).toBe(true);
  expect(content).toHaveLength(1000);
  expect([...kit.tools].map(({ name }) => name)).toEqual([
    "git_status",
    "git_log",
    "git_diff",
    "git_show",
    "git_branch",
  ]);
});

test("the options are described", () => {
  expect(compileConfig(gitOptions).check({ root: "/x", canWrite: false })).toMatchObject({ ok: true });
  expect(compileConfig(gitOptions).check({ rot: "/x" })).toMatchObject({ ok: false });
});
