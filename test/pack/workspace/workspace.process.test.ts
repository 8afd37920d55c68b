import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, linkSync, lstatSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { compileConfig } from "../../../packages/core/src/tool/schema.ts";
import { workspaceOptions } from "../../../packages/biplane/src/pack/workspace/options.ts";
import { workspacePack } from "../../../packages/biplane/src/pack/workspace/pack.ts";
import { Playground, contentOf, faultOf, textOf } from "../files/playground.ts";
import { needs } from "../../support/needs.ts";

function workspace(playground: Playground, options: Partial<Parameters<typeof workspacePack>[0]> = {}) {
  return playground.serve(workspacePack({ root: playground.at("root"), ...options }));
}

describe("reading and writing", () => {
  test("what is written is read back, with the folders it needs", async () => {
    await using playground = new Playground();
    const kit = workspace(playground);
    expect(await textOf(kit, "workspace_write", { path: "/workspace/a/b/é.md", content: "grüße\n" })).toBe(
      "Wrote 8 bytes to /workspace/a/b/é.md",
    );
    expect(await textOf(kit, "workspace_read", { path: "a/b/é.md" })).toBe("grüße\n");
    expect(await kit.call("workspace_read", { path: "a/b/é.md" })).toEqual({
      path: "/workspace/a/b/é.md",
      content: "grüße\n",
      encoding: "utf8",
      size: 8,
      next_offset: null,
    });
    expect(playground.read("root/a/b/é.md")).toBe("grüße\n");
    expect(statSync(playground.at("root/a/b/é.md")).mode & 0o777 & ~0o644).toBe(0);
  });

  test("a file keeps its permissions and leaves no draft behind", async () => {
    await using playground = new Playground();
    const kit = workspace(playground);
    chmodSync(playground.write("root/run.sh", "old"), 0o6750);
    await kit.call("workspace_write", { path: "run.sh", content: "new" });
    expect(statSync(playground.at("root/run.sh")).mode & 0o7777).toBe(0o750);
    expect(playground.files("root")).toEqual(["run.sh"]);
  });

  test("bytes go in and out as base64, pictures as pictures", async () => {
    await using playground = new Playground();
    const kit = workspace(playground);
    const content = Buffer.from([0, 255, 1, 254]).toString("base64");
    await kit.call("workspace_write", { path: "a.png", content, encoding: "base64" });
    await kit.call("workspace_write", { path: "a.bin", content, encoding: "base64" });
    expect(await contentOf(kit, "workspace_read", { path: "a.png" })).toEqual([
      { type: "image", data: content, mimeType: "image/png" },
    ]);
    const uri = "file:///workspace/a.bin";
    expect(await contentOf(kit, "workspace_read", { path: "a.bin" })).toEqual([
      { type: "resource", resource: { uri, mimeType: "application/octet-stream", blob: content } },
    ]);
    expect(await kit.call("workspace_read", { path: "a.bin" })).toMatchObject({ content, encoding: "base64" });
    const fault = await faultOf(kit, "workspace_write", { path: "x", content: "no base64!", encoding: "base64" });
    expect(fault.message).toContain("not base64");
  });

  test("a large file is read line by line or byte by byte, and every part fits", async () => {
    await using playground = new Playground();
    const kit = workspace(playground, { maxReadBytes: 1000 });
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index + 1} ü`);
    playground.write("root/large.txt", lines.join("\n"));
    const fault = await faultOf(kit, "workspace_read", { path: "large.txt" });
    expect(fault.message).toMatch(/\/workspace\/large.txt has \d+ bytes, more than the limit of 1000/);
    expect(await textOf(kit, "workspace_read", { path: "large.txt", offset: 4999, limit: 5 })).toBe(
      "line 4999 ü\nline 5000 ü",
    );
    for (const unit of ["lines", "bytes"]) {
      const parts: Buffer[] = [];
      let offset: number | null = unit === "lines" ? 1 : 0;
      while (offset !== null) {
        type Part = { content: string; encoding: "utf8" | "base64"; next_offset: number | null };
        const part = (await kit.call("workspace_read", { path: "large.txt", offset, unit })) as Part;
        parts.push(Buffer.from(part.content, part.encoding));
        expect(parts.at(-1)?.length).toBeLessThanOrEqual(1000);
        offset = part.next_offset;
      }
      expect(Buffer.concat(parts).toString()).toBe(lines.join("\n"));
    }
    playground.write("root/one-line.txt", "x".repeat(3000));
    const long = await faultOf(kit, "workspace_read", { path: "one-line.txt", offset: 1 });
    expect(long.message).toContain("Read the file by bytes");
  });

  test("too much is refused before anything is touched", async () => {
    await using playground = new Playground();
    const kit = workspace(playground, { maxWriteBytes: 10 });
    const fault = await faultOf(kit, "workspace_write", { path: "new/a", content: "x".repeat(11) });
    expect(fault).toMatchObject({ code: "INVALID_INPUT", message: expect.stringContaining("11 bytes") });
    expect(readdirSync(playground.at("root"))).toEqual([]);
  });

  test("a name in another spelling of its accents is found", async () => {
    await using playground = new Playground();
    const kit = workspace(playground);
    playground.write(`root/${"é".normalize("NFD")}/a`, "found");
    expect(await textOf(kit, "workspace_read", { path: `${"é".normalize("NFC")}/a` })).toBe("found");
    await kit.call("workspace_write", { path: `${"é".normalize("NFC")}/b`, content: "" });
    expect(readdirSync(playground.at("root"))).toHaveLength(1);
  });
});

describe("editing", () => {
  test("replaces a unique text, and every occurrence only on request", async () => {
    await using playground = new Playground();
    const kit = workspace(playground);
    playground.write("root/a.txt", "one two one $& three");
    expect(await textOf(kit, "workspace_edit", { path: "a.txt", old_text: "two", new_text: "$&2" })).toBe(
      "Replaced 1 occurrence in a.txt",
    );
    expect(playground.read("root/a.txt")).toBe("one $&2 one $& three");
    const twice = await faultOf(kit, "workspace_edit", { path: "a.txt", old_text: "one", new_text: "1" });
    expect(twice.message).toContain("more than once");
    const missing = await faultOf(kit, "workspace_edit", { path: "a.txt", old_text: "four", new_text: "4" });
    expect(missing.message).toContain("is not in /workspace/a.txt");
    const all = { path: "a.txt", old_text: "one", new_text: "1", replace_all: true };
    expect(await kit.call("workspace_edit", all)).toMatchObject({ replacements: 2 });
    expect(playground.read("root/a.txt")).toBe("1 $&2 1 $& three");
  });

  test("edits made at once are all kept", async () => {
    await using playground = new Playground();
    const kit = workspace(playground);
    const marks = Array.from({ length: 30 }, (_, index) => `<${index}>`);
    playground.write("root/a.txt", marks.join(""));
    symlinkSync("a.txt", playground.at("root/alias.txt"));
    await Promise.all(
      marks.map((mark, index) =>
        kit.call("workspace_edit", { path: index % 2 ? "a.txt" : "alias.txt", old_text: mark, new_text: "." }),
      ),
    );
    expect(playground.read("root/a.txt")).toBe(".".repeat(30));
    expect(lstatSync(playground.at("root/alias.txt")).isSymbolicLink()).toBe(true);
  });
});

describe("looking around", () => {
  test("lists by name, folders with a slash, without what is hidden from tools", async () => {
    await using playground = new Playground();
    const kit = workspace(playground);
    for (const name of ["b.md", "a/x/y.md", ".hidden", ".git/config", ".biplane-draft-1"])
      playground.write(`root/${name}`);
    symlinkSync("/etc", playground.at("root/link"));
    expect(await textOf(kit, "workspace_list", {})).toBe(".hidden\na/\nb.md\nlink");
    expect(await textOf(kit, "workspace_list", { path: "/workspace/", recursive: true })).toBe(
      ".hidden\na/\na/x/\na/x/y.md\nb.md\nlink",
    );
    expect(await kit.call("workspace_list", { path: "a" })).toEqual({
      path: "/workspace/a",
      entries: [{ path: "x", type: "folder" }],
      truncated: false,
    });
    playground.folder("root/empty");
    expect(await textOf(kit, "workspace_list", { path: "empty" })).toBe("");
  });

  test("finds text letter for letter, in text files that fit", async () => {
    await using playground = new Playground();
    const kit = workspace(playground);
    playground.write("root/a.ts", "const x = 1;\nlet Y = x.*;\n");
    playground.write("root/deep/b.md", "nothing\nX.* here\n");
    playground.write("root/c.bin", Buffer.from("x.*\0"));
    playground.write("root/.git/config", "x.*");
    symlinkSync(playground.write("outside.txt", "x.*"), playground.at("root/link.txt"));
    expect(await textOf(kit, "workspace_search", { query: "x.*" })).toBe(
      "/workspace/a.ts:2: let Y = x.*;\n/workspace/deep/b.md:2: X.* here",
    );
    expect(await kit.call("workspace_search", { query: "x.*", glob: "*.md" })).toMatchObject({
      matches: [{ path: "/workspace/deep/b.md", line: 2 }],
      files_searched: 1,
    });
    expect(await kit.call("workspace_search", { query: "X.*", case_sensitive: true })).toMatchObject({
      matches: [{ path: "/workspace/deep/b.md" }],
    });
    expect(await kit.call("workspace_search", { query: "n", max_results: 1 })).toMatchObject({ truncated: true });
    expect(await textOf(kit, "workspace_search", { query: "absent", path: "deep" })).toBe("No matches in 1 files.");
  });
});

describe("moving and deleting", () => {
  test("moves files, folders and links, and never over something", async () => {
    await using playground = new Playground();
    const kit = workspace(playground);
    playground.write("root/a.txt", "a");
    playground.write("root/b.txt", "b");
    playground.write("root/folder/c.txt", "c");
    symlinkSync("/etc/passwd", playground.at("root/link"));
    expect((await faultOf(kit, "workspace_move", { from: "a.txt", to: "b.txt" })).message).toContain("already exists");
    expect((await faultOf(kit, "workspace_move", { from: "a.txt", to: "link" })).message).toContain("already exists");
    await kit.call("workspace_move", { from: "a.txt", to: "new/place/a.txt" });
    await kit.call("workspace_move", { from: "folder", to: "renamed" });
    await kit.call("workspace_move", { from: "link", to: "moved-link" });
    expect(playground.files("root")).toEqual(["a.txt", "b.txt", "c.txt", "moved-link"]);
    expect(playground.read("root/new/place/a.txt")).toBe("a");
    expect(statSync(playground.at("root/new/place/a.txt")).nlink).toBe(1);
    const inside = await faultOf(kit, "workspace_move", { from: "renamed", to: "renamed/deeper/x" });
    expect(inside.message).toContain("into itself");
    for (const to of [".git", "x/.GIT/hooks", "../out", "/tmp/out"]) {
      await faultOf(kit, "workspace_move", { from: "b.txt", to });
    }
    expect((await faultOf(kit, "workspace_move", { from: ".", to: "x" })).message).toContain("root itself");
    expect((await faultOf(kit, "workspace_move", { from: "none", to: "y/z" })).message).toContain("does not exist");
    expect(existsSync(playground.at("root/y"))).toBe(false);
  });

  test("deletes links and not their targets, and a full folder only on request", async () => {
    await using playground = new Playground();
    const kit = workspace(playground);
    const outside = playground.write("outside/canary", "canary");
    playground.write("root/folder/deep/a");
    symlinkSync(playground.at("outside"), playground.at("root/folder/link"));
    expect((await faultOf(kit, "workspace_delete", { path: "folder" })).message).toContain("not empty");
    expect(await kit.call("workspace_delete", { path: "folder", recursive: true })).toMatchObject({ deleted: 4 });
    expect(existsSync(outside)).toBe(true);
    expect(playground.files("root")).toEqual([]);
    playground.write("root/project/.git/config");
    playground.write("root/project/file");
    const kept = await faultOf(kit, "workspace_delete", { path: "project", recursive: true });
    expect(kept.message).toContain("hidden from tools");
    expect(existsSync(playground.at("root/project/file"))).toBe(true);
    expect((await faultOf(kit, "workspace_delete", { path: "/workspace" })).message).toContain("root itself");
  });

  test("a person is asked before something is deleted, unless that is turned off", async () => {
    await using playground = new Playground();
    const asked: string[] = [];
    const pack = workspacePack({ root: playground.at("root") });
    const kit = playground.serve(pack, {
      approve: async ({ questions }) => {
        asked.push(...questions.map(({ question }) => question));
        throw new Error("no");
      },
    });
    playground.write("root/a");
    await faultOf(kit, "workspace_delete", { path: "a", recursive: true });
    expect(asked).toEqual(['Delete "a" and everything in it from the workspace?']);
    await kit.call("workspace_read", { path: "a" });
    expect(workspacePack({ root: playground.at("root"), approveDelete: false }).policies).toEqual([]);
  });
});

describe("what is not a regular file of the workspace", () => {
  test("a sibling whose name begins like the root is not in it", async () => {
    await using playground = new Playground();
    const kit = workspace(playground);
    playground.write("root-x/canary", "canary");
    symlinkSync(playground.at("root-x"), playground.at("root/sibling"));
    for (const path of [
      "../root-x/canary",
      "sibling/canary",
      `${playground.path}/root-x/canary`,
      "/workspace-x/canary",
    ]) {
      const fault = await faultOf(kit, "workspace_read", { path });
      expect(fault.message).toMatch(/outside|absolute/);
    }
  });

  test("an unclean root works: a trailing slash, a dot, a link to it", async () => {
    await using playground = new Playground();
    playground.folder("real");
    symlinkSync(playground.at("real"), playground.at("alias"));
    for (const root of [`${playground.path}/./real/`, playground.at("alias"), `${playground.path}/x/../real`]) {
      const kit = playground.serve(workspacePack({ root }));
      await kit.call("workspace_write", { path: "a/b", content: root });
      expect(playground.read("real/a/b")).toBe(root);
    }
  });

  test("links inside are followed, links outside are not, and circles end", async () => {
    await using playground = new Playground();
    const kit = workspace(playground);
    playground.write("root/real/a.txt", "inside");
    playground.write("canary", "canary");
    symlinkSync("real", playground.at("root/relative"));
    symlinkSync(playground.at("root/real"), playground.at("root/absolute"));
    symlinkSync("../real", playground.at("root/real/up-and-back"));
    symlinkSync("../../root/real", playground.at("root/real/round-about"));
    symlinkSync("../../canary", playground.at("root/real/out"));
    symlinkSync(playground.at("canary"), playground.at("root/absolute-out"));
    symlinkSync(playground.at("nowhere"), playground.at("root/dangling-out"));
    symlinkSync("loop-b", playground.at("root/loop-a"));
    symlinkSync("loop-a", playground.at("root/loop-b"));
    symlinkSync(".git", playground.at("root/git-alias"));
    playground.write("root/.git/config", "secret");
    for (const path of ["relative/a.txt", "absolute/a.txt", "real/up-and-back/a.txt"]) {
      expect(await textOf(kit, "workspace_read", { path })).toBe("inside");
    }
    const outside = await Promise.all(
      ["real/out", "real/round-about/a.txt", "absolute-out", "dangling-out", "dangling-out/x"].map((path) =>
        faultOf(kit, "workspace_read", { path }),
      ),
    );
    for (const { message } of outside)
      expect(message).toMatch(/^\/workspace\/\S+ is a symbolic link that leads outside/);
    expect((await faultOf(kit, "workspace_read", { path: "loop-a" })).message).toContain("too many symbolic links");
    expect((await faultOf(kit, "workspace_read", { path: "git-alias/config" })).message).toContain("hidden from tools");
    for (const path of ["real/out", "absolute-out", "dangling-out", "dangling-out/x"]) {
      await faultOf(kit, "workspace_write", { path, content: "pwned" });
    }
    expect(playground.read("canary")).toBe("canary");
    expect(existsSync(playground.at("nowhere"))).toBe(false);
    await kit.call("workspace_write", { path: "relative/b.txt", content: "through a link" });
    expect(playground.read("root/real/b.txt")).toBe("through a link");
  });

  test("a hard link, a device and a folder are no files", async () => {
    await using playground = new Playground();
    const kit = workspace(playground);
    linkSync(playground.write("canary", "canary"), playground.at("root/hard"));
    symlinkSync("/dev/zero", playground.at("root/device"));
    const expected: [string, RegExp][] = [
      ["hard", /hard link/],
      ["device", /leads outside/],
      [".", /is a folder/],
    ];
    for (const [path, message] of expected) {
      expect((await faultOf(kit, "workspace_read", { path })).message).toMatch(message);
      expect((await faultOf(kit, "workspace_write", { path, content: "x" })).message).toMatch(message);
      await faultOf(kit, "workspace_edit", { path, old_text: "c", new_text: "x" });
    }
    expect(playground.read("canary")).toBe("canary");
    expect(await kit.call("workspace_search", { query: "canary" })).toMatchObject({ matches: [] });
    const trusting = workspace(playground, { allowHardLinks: true });
    expect(await textOf(trusting, "workspace_read", { path: "hard" })).toBe("canary");
  });

  test("a pipe is refused without reading it", needs("mkfifo"), async () => {
    await using playground = new Playground();
    const kit = workspace(playground);
    execFileSync("mkfifo", [playground.at("root/pipe")]);
    const message = /not a regular file/;
    expect((await faultOf(kit, "workspace_read", { path: "pipe" })).message).toMatch(message);
    expect((await faultOf(kit, "workspace_write", { path: "pipe", content: "x" })).message).toMatch(message);
    await faultOf(kit, "workspace_edit", { path: "pipe", old_text: "c", new_text: "x" });
    expect(await kit.call("workspace_search", { query: "canary" })).toMatchObject({ matches: [] });
  });

  it.each([
    ["a missing file", "none", "/workspace/none does not exist."],
    ["a missing folder", "no/such/file", "/workspace/no/such/file does not exist."],
    ["a file as a folder", "a.txt/b", "/workspace/a.txt/b has a parent that is not a folder."],
  ])("%s has a message without a path of this machine", async (_, path, message) => {
    await using playground = new Playground();
    const kit = workspace(playground);
    playground.write("root/a.txt");
    expect((await faultOf(kit, "workspace_read", { path })).message).toBe(message);
  });
});

test("the options are described, and a mistake in them is found", () => {
  const { check } = compileConfig(workspaceOptions);
  expect(check({ root: "/x", approveDelete: false, protectedNames: [".git"] })).toMatchObject({ ok: true });
  expect(check({})).toMatchObject({ ok: false });
  expect(check({ root: "/x", aproveDelete: false })).toMatchObject({ ok: false });
});
