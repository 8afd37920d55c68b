import { existsSync, linkSync, mkdirSync, symlinkSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import type { Server } from "biplane";
import { gitOptions } from "../../../src/pack/git/options.ts";
import { gitPack } from "../../../src/pack/git/pack.ts";
import { compileConfig } from "../../../src/tool/schema.ts";
import { Playground, faultOf, textOf } from "../files/playground.ts";
import { Tripwire, git } from "./git-lab.ts";

/** A repository with one commit, and the pack over it. */
function repository(ground: Playground): Server {
  git(ground.folder("repo"), "init", "--quiet", "--initial-branch=main");
  ground.write("repo/a.txt", "one\n");
  git(ground.at("repo"), "add", ".");
  git(ground.at("repo"), "commit", "--quiet", "--message=first");
  return ground.serve(gitPack({ root: ground.at("repo") }));
}

test("stages, commits and tells what happened, as git itself sees it", async () => {
  await using ground = new Playground();
  const desk = repository(ground);
  expect(await textOf(desk, "git_status", {})).toBe("On branch main\nNothing changed");
  ground.write("repo/a.txt", "two\n");
  ground.write("repo/deep/new é.txt", "new\n");
  expect(await desk.call("git_status")).toEqual({
    branch: "main",
    files: [
      { path: "a.txt", staged: " ", unstaged: "M" },
      { path: "deep/", staged: "?", unstaged: "?" },
    ],
  });
  expect(await textOf(desk, "git_diff", {})).toContain("-one\n+two\n");
  expect(await desk.call("git_add", { paths: ["."] })).toEqual({ paths: ["deep/new é.txt", "a.txt"] });
  expect(await textOf(desk, "git_diff", { staged: true, paths: ["deep"] })).toContain("+new");
  const { hash } = (await desk.call("git_commit", { message: "second\n\n--amend" })) as { hash: string };
  expect(git(ground.at("repo"), "rev-parse", "main").trim()).toBe(hash);
  expect(git(ground.at("repo"), "status", "--porcelain")).toBe("");
  expect(await desk.call("git_log")).toMatchObject({
    commits: [{ hash, author: "Biplane <agent@localhost>", message: "second\n\n--amend" }, { message: "first" }],
  });
  expect(await textOf(desk, "git_show", { revision: "HEAD~1", path: "a.txt" })).toBe("one\n");
  expect(await textOf(desk, "git_show", {})).toContain("+two");
  expect(await textOf(desk, "git_diff", { revision: "HEAD~1..HEAD", paths: ["a.txt"] })).toContain("+two");
  expect((await faultOf(desk, "git_commit", { message: "nothing" })).message).toContain("git commit failed");
  git(ground.at("repo"), "rm", "--quiet", "--cached", "a.txt");
  expect(await desk.call("git_status")).toMatchObject({ files: [{ path: "a.txt", staged: "D" }, { path: "a.txt" }] });
});

test("makes branches and goes to them, and the repository follows", async () => {
  await using ground = new Playground();
  const desk = repository(ground);
  await desk.call("git_branch", { action: "create", name: "topic/one" });
  expect(await desk.call("git_branch", { action: "switch", name: "topic/one" })).toMatchObject({
    current: "topic/one",
    branches: [{ name: "main" }, { name: "topic/one" }],
  });
  expect(git(ground.at("repo"), "symbolic-ref", "HEAD").trim()).toBe("refs/heads/topic/one");
  ground.write("repo/b.txt", "b");
  await desk.call("git_add", { paths: ["b.txt"] });
  await desk.call("git_commit", { message: "on topic" });
  await desk.call("git_branch", { action: "switch", name: "main" });
  expect(existsSync(ground.at("repo/b.txt"))).toBe(false);
  expect(await desk.call("git_log", { revision: "main..topic/one" })).toMatchObject({
    commits: [{ message: "on topic" }],
  });
  expect((await faultOf(desk, "git_branch", { action: "switch" })).message).toContain("give its name");
  git(ground.at("repo"), "checkout", "--quiet", "--detach", "topic/one");
  expect(await desk.call("git_status")).toMatchObject({ branch: null });
  ground.write("repo/c.txt", "c");
  await desk.call("git_add", { paths: ["c.txt"] });
  const { hash } = (await desk.call("git_commit", { message: "on no branch" })) as { hash: string };
  expect(git(ground.at("repo"), "rev-parse", "HEAD").trim()).toBe(hash);
});

test("nothing that a repository's config, hooks or attributes name is ever run", async () => {
  await using ground = new Playground();
  const wire = new Tripwire(ground);
  const desk = repository(ground);
  git(ground.at("repo"), "branch", "other");
  wire.plant(ground, "repo/.git");
  ground.write("repo/.gitattributes", "* filter=trap diff=trap merge=trap\n");
  ground.write("repo/a.txt", "changed\n");
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
    await desk.call(tool, input);
  }
  expect(wire.wasTripped).toBe(false);
  // The wires are live: plain git trips them.
  try {
    git(ground.at("repo"), "diff", "main");
  } catch (error) {
    expect(error).toBeDefined();
  }
  expect(wire.wasTripped).toBe(true);
});

test("the config of a repository inside the repository is not used either", async () => {
  await using ground = new Playground();
  const wire = new Tripwire(ground);
  const desk = repository(ground);
  git(ground.folder("inner"), "init", "--quiet");
  ground.write("inner/x.txt", "x");
  git(ground.at("inner"), "add", ".");
  git(ground.at("inner"), "commit", "--quiet", "--message=inner");
  git(ground.at("repo"), "submodule", "--quiet", "add", ground.at("inner"), "sub");
  git(ground.at("repo"), "commit", "--quiet", "--message=sub");
  ground.write("repo/sub/x.txt", "changed");
  wire.plant(ground, "repo/.git/modules/sub");
  ground.write("repo/sub/.gitattributes", "* filter=trap\n");
  for (const [tool, input] of [
    ["git_status", {}],
    ["git_diff", {}],
    ["git_diff", { revision: "HEAD" }],
    ["git_add", { paths: [".", "sub"] }],
    ["git_show", {}],
  ] as const) {
    await desk.call(tool, input);
  }
  expect(wire.wasTripped).toBe(false);
  // The wires are live: plain git looks into the inner repository and trips them.
  git(ground.at("repo"), "-c", "core.fsmonitor=false", "status");
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
    await using ground = new Playground();
    const desk = repository(ground);
    expect(await faultOf(desk, tool, input)).toMatchObject({ code: "INVALID_INPUT" });
    expect(existsSync(ground.at("repo/pwned"))).toBe(false);
  });

  test("a path is a path, also when it looks like magic or an option", async () => {
    await using ground = new Playground();
    const desk = repository(ground);
    ground.write("repo/--all", "x");
    ground.write("repo/other.txt", "x");
    expect(await desk.call("git_add", { paths: ["--all"] })).toEqual({ paths: ["--all"] });
    expect(await desk.call("git_add", { paths: [":(glob)**"] })).toEqual({ paths: [] });
  });
});

describe("a repository that leads elsewhere is refused", () => {
  it.each<[string, (ground: Playground) => void, string]>([
    ["no repository", (ground) => ground.folder("repo"), "missing"],
    [
      "a .git that is a file",
      (ground) => ground.write("repo/.git", `gitdir: ${ground.at("other/.git")}\n`),
      "not a folder of its own",
    ],
    ["a .git that is a link", (ground) => symlinkSync(ground.at("other/.git"), ground.at("repo/.git")), "not a folder"],
    [
      "objects of another repository",
      (ground) => {
        git(ground.at("repo"), "init", "--quiet");
        ground.write("repo/.git/objects/info/alternates", ground.at("other/.git/objects"));
      },
      "leads to data elsewhere",
    ],
    [
      "a common folder",
      (ground) => {
        git(ground.at("repo"), "init", "--quiet");
        ground.write("repo/.git/commondir", ground.at("other/.git"));
      },
      "leads to data elsewhere",
    ],
    [
      "a HEAD that is no reference",
      (ground) => {
        git(ground.at("repo"), "init", "--quiet");
        ground.write("repo/.git/HEAD", "ref: ../../other/.git/HEAD\n");
      },
      "HEAD is not understood",
    ],
  ])("%s", async (_, spoil, message) => {
    await using ground = new Playground();
    git(ground.folder("other"), "init", "--quiet");
    mkdirSync(ground.at("repo"), { recursive: true });
    spoil(ground);
    const desk = ground.serve(gitPack({ root: ground.at("repo") }));
    const fault = await faultOf(desk, "git_status", {});
    expect(fault.message).toContain(message);
    expect(fault.message).not.toContain(ground.path);
  });
});

test("a file with a second name outside is not staged, where it could be shown", async () => {
  await using ground = new Playground();
  const desk = repository(ground);
  linkSync(ground.write("canary", "CANARY"), ground.at("repo/hard"));
  symlinkSync(ground.at("canary"), ground.at("repo/soft"));
  expect((await faultOf(desk, "git_add", { paths: ["."] })).message).toContain("hard link");
  await desk.call("git_add", { paths: ["soft"] });
  expect(await textOf(desk, "git_diff", { staged: true })).not.toContain("CANARY");
});

test("a merge that is under way is not committed over", async () => {
  await using ground = new Playground();
  const desk = repository(ground);
  ground.write("repo/.git/MERGE_HEAD", git(ground.at("repo"), "rev-parse", "HEAD"));
  expect((await faultOf(desk, "git_commit", { message: "m" })).message).toContain("MERGE_HEAD");
  expect((await faultOf(desk, "git_add", { paths: ["."] })).message).toContain("finish it first");
});

test("an answer that is too long is cut, and says so", async () => {
  await using ground = new Playground();
  repository(ground);
  const desk = ground.serve(gitPack({ root: ground.at("repo"), maxBytes: 1000, canWrite: false }));
  ground.write("repo/a.txt", "x".repeat(80).concat("\n").repeat(10_000));
  const { content, truncated } = (await desk.call("git_diff")) as { content: string; truncated: boolean };
  expect(truncated).toBe(true);
  expect(content).toHaveLength(1000);
  expect([...desk.tools].map(({ name }) => name)).toEqual([
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
