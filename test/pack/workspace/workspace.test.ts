import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, linkSync, lstatSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { compileConfig } from "../../../src/tool/schema.ts";
import { workspaceOptions } from "../../../src/pack/workspace/options.ts";
import { workspacePack } from "../../../src/pack/workspace/pack.ts";
import { Playground, contentOf, faultOf, textOf } from "../files/playground.ts";

function workspace(ground: Playground, options: Partial<Parameters<typeof workspacePack>[0]> = {}) {
  return ground.serve(workspacePack({ root: ground.at("root"), ...options }));
}

describe("reading and writing", () => {
  test("what is written is read back, with the folders it needs", async () => {
    await using ground = new Playground();
    const desk = workspace(ground);
    expect(await textOf(desk, "workspace_write", { path: "/workspace/a/b/é.md", content: "grüße\n" })).toBe(
      "Wrote 8 bytes to /workspace/a/b/é.md",
    );
    expect(await textOf(desk, "workspace_read", { path: "a/b/é.md" })).toBe("grüße\n");
    expect(await desk.call("workspace_read", { path: "a/b/é.md" })).toEqual({
      path: "/workspace/a/b/é.md",
      content: "grüße\n",
      encoding: "utf8",
      size: 8,
      next_offset: null,
    });
    expect(ground.read("root/a/b/é.md")).toBe("grüße\n");
    expect(statSync(ground.at("root/a/b/é.md")).mode & 0o777 & ~0o644).toBe(0);
  });

  test("a file keeps its permissions and leaves no draft behind", async () => {
    await using ground = new Playground();
    const desk = workspace(ground);
    chmodSync(ground.write("root/run.sh", "old"), 0o6750);
    await desk.call("workspace_write", { path: "run.sh", content: "new" });
    expect(statSync(ground.at("root/run.sh")).mode & 0o7777).toBe(0o750);
    expect(ground.files("root")).toEqual(["run.sh"]);
  });

  test("bytes go in and out as base64, pictures as pictures", async () => {
    await using ground = new Playground();
    const desk = workspace(ground);
    const content = Buffer.from([0, 255, 1, 254]).toString("base64");
    await desk.call("workspace_write", { path: "a.png", content, encoding: "base64" });
    await desk.call("workspace_write", { path: "a.bin", content, encoding: "base64" });
    expect(await contentOf(desk, "workspace_read", { path: "a.png" })).toEqual([
      { type: "image", data: content, mimeType: "image/png" },
    ]);
    const uri = "file:///workspace/a.bin";
    expect(await contentOf(desk, "workspace_read", { path: "a.bin" })).toEqual([
      { type: "resource", resource: { uri, mimeType: "application/octet-stream", blob: content } },
    ]);
    expect(await desk.call("workspace_read", { path: "a.bin" })).toMatchObject({ content, encoding: "base64" });
    const fault = await faultOf(desk, "workspace_write", { path: "x", content: "no base64!", encoding: "base64" });
    expect(fault.message).toContain("not base64");
  });

  test("a large file is read line by line or byte by byte, and every part fits", async () => {
    await using ground = new Playground();
    const desk = workspace(ground, { maxReadBytes: 1000 });
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index + 1} ü`);
    ground.write("root/large.txt", lines.join("\n"));
    const fault = await faultOf(desk, "workspace_read", { path: "large.txt" });
    expect(fault.message).toMatch(/\/workspace\/large.txt has \d+ bytes, more than the 1000/);
    expect(await textOf(desk, "workspace_read", { path: "large.txt", offset: 4999, limit: 5 })).toBe(
      "line 4999 ü\nline 5000 ü",
    );
    for (const unit of ["lines", "bytes"]) {
      const parts: Buffer[] = [];
      let offset: number | null = unit === "lines" ? 1 : 0;
      while (offset !== null) {
        type Part = { content: string; encoding: "utf8" | "base64"; next_offset: number | null };
        const part = (await desk.call("workspace_read", { path: "large.txt", offset, unit })) as Part;
        parts.push(Buffer.from(part.content, part.encoding));
        expect(parts.at(-1)?.length).toBeLessThanOrEqual(1000);
        offset = part.next_offset;
      }
      expect(Buffer.concat(parts).toString()).toBe(lines.join("\n"));
    }
    ground.write("root/one-line.txt", "x".repeat(3000));
    const long = await faultOf(desk, "workspace_read", { path: "one-line.txt", offset: 1 });
    expect(long.message).toContain("read it by bytes");
  });

  test("too much is refused before anything is touched", async () => {
    await using ground = new Playground();
    const desk = workspace(ground, { maxWriteBytes: 10 });
    const fault = await faultOf(desk, "workspace_write", { path: "new/a", content: "x".repeat(11) });
    expect(fault).toMatchObject({ code: "INVALID_INPUT", message: expect.stringContaining("11 bytes") });
    expect(readdirSync(ground.at("root"))).toEqual([]);
  });

  test("a name in another spelling of its accents is found", async () => {
    await using ground = new Playground();
    const desk = workspace(ground);
    ground.write(`root/${"é".normalize("NFD")}/a`, "found");
    expect(await textOf(desk, "workspace_read", { path: `${"é".normalize("NFC")}/a` })).toBe("found");
    await desk.call("workspace_write", { path: `${"é".normalize("NFC")}/b`, content: "" });
    expect(readdirSync(ground.at("root"))).toHaveLength(1);
  });
});

describe("editing", () => {
  test("replaces what is there once, and everything only when told to", async () => {
    await using ground = new Playground();
    const desk = workspace(ground);
    ground.write("root/a.txt", "one two one $& three");
    expect(await textOf(desk, "workspace_edit", { path: "a.txt", old_text: "two", new_text: "$&2" })).toBe(
      "Replaced 1 place in a.txt",
    );
    expect(ground.read("root/a.txt")).toBe("one $&2 one $& three");
    const twice = await faultOf(desk, "workspace_edit", { path: "a.txt", old_text: "one", new_text: "1" });
    expect(twice.message).toContain("2 times");
    const missing = await faultOf(desk, "workspace_edit", { path: "a.txt", old_text: "four", new_text: "4" });
    expect(missing.message).toContain("is not in /workspace/a.txt");
    const all = { path: "a.txt", old_text: "one", new_text: "1", replace_all: true };
    expect(await desk.call("workspace_edit", all)).toMatchObject({ replacements: 2 });
    expect(ground.read("root/a.txt")).toBe("1 $&2 1 $& three");
  });

  test("edits made at once are all kept", async () => {
    await using ground = new Playground();
    const desk = workspace(ground);
    const marks = Array.from({ length: 30 }, (_, index) => `<${index}>`);
    ground.write("root/a.txt", marks.join(""));
    symlinkSync("a.txt", ground.at("root/alias.txt"));
    await Promise.all(
      marks.map((mark, index) =>
        desk.call("workspace_edit", { path: index % 2 ? "a.txt" : "alias.txt", old_text: mark, new_text: "." }),
      ),
    );
    expect(ground.read("root/a.txt")).toBe(".".repeat(30));
    expect(lstatSync(ground.at("root/alias.txt")).isSymbolicLink()).toBe(true);
  });
});

describe("looking around", () => {
  test("lists by name, folders with a slash, without what is kept from tools", async () => {
    await using ground = new Playground();
    const desk = workspace(ground);
    for (const name of ["b.md", "a/x/y.md", ".hidden", ".git/config", ".biplane-draft-1"]) ground.write(`root/${name}`);
    symlinkSync("/etc", ground.at("root/link"));
    expect(await textOf(desk, "workspace_list", {})).toBe(".hidden\na/\nb.md\nlink");
    expect(await textOf(desk, "workspace_list", { path: "/workspace/", recursive: true })).toBe(
      ".hidden\na/\na/x/\na/x/y.md\nb.md\nlink",
    );
    expect(await desk.call("workspace_list", { path: "a" })).toEqual({
      path: "/workspace/a",
      entries: [{ path: "x", type: "folder" }],
      truncated: false,
    });
    ground.folder("root/empty");
    expect(await textOf(desk, "workspace_list", { path: "empty" })).toBe("");
  });

  test("finds text letter for letter, in text files that fit", async () => {
    await using ground = new Playground();
    const desk = workspace(ground);
    ground.write("root/a.ts", "const x = 1;\nlet Y = x.*;\n");
    ground.write("root/deep/b.md", "nothing\nX.* here\n");
    ground.write("root/c.bin", Buffer.from("x.*\0"));
    ground.write("root/.git/config", "x.*");
    symlinkSync(ground.write("outside.txt", "x.*"), ground.at("root/link.txt"));
    expect(await textOf(desk, "workspace_search", { query: "x.*" })).toBe(
      "/workspace/a.ts:2: let Y = x.*;\n/workspace/deep/b.md:2: X.* here",
    );
    expect(await desk.call("workspace_search", { query: "x.*", glob: "*.md" })).toMatchObject({
      matches: [{ path: "/workspace/deep/b.md", line: 2 }],
      files_searched: 1,
    });
    expect(await desk.call("workspace_search", { query: "X.*", case_sensitive: true })).toMatchObject({
      matches: [{ path: "/workspace/deep/b.md" }],
    });
    expect(await desk.call("workspace_search", { query: "n", max_results: 1 })).toMatchObject({ truncated: true });
    expect(await textOf(desk, "workspace_search", { query: "absent", path: "deep" })).toBe("Nothing found in 1 files");
  });
});

describe("moving and deleting", () => {
  test("moves files, folders and links, and never over something", async () => {
    await using ground = new Playground();
    const desk = workspace(ground);
    ground.write("root/a.txt", "a");
    ground.write("root/b.txt", "b");
    ground.write("root/folder/c.txt", "c");
    symlinkSync("/etc/passwd", ground.at("root/link"));
    expect((await faultOf(desk, "workspace_move", { from: "a.txt", to: "b.txt" })).message).toContain("exists already");
    expect((await faultOf(desk, "workspace_move", { from: "a.txt", to: "link" })).message).toContain("exists already");
    await desk.call("workspace_move", { from: "a.txt", to: "new/place/a.txt" });
    await desk.call("workspace_move", { from: "folder", to: "renamed" });
    await desk.call("workspace_move", { from: "link", to: "moved-link" });
    expect(ground.files("root")).toEqual(["a.txt", "b.txt", "c.txt", "moved-link"]);
    expect(ground.read("root/new/place/a.txt")).toBe("a");
    expect(statSync(ground.at("root/new/place/a.txt")).nlink).toBe(1);
    const inside = await faultOf(desk, "workspace_move", { from: "renamed", to: "renamed/deeper/x" });
    expect(inside.message).toContain("into itself");
    for (const to of [".git", "x/.GIT/hooks", "../out", "/tmp/out"]) {
      await faultOf(desk, "workspace_move", { from: "b.txt", to });
    }
    expect((await faultOf(desk, "workspace_move", { from: ".", to: "x" })).message).toContain("root itself");
    expect((await faultOf(desk, "workspace_move", { from: "none", to: "y/z" })).message).toContain("does not exist");
    expect(existsSync(ground.at("root/y"))).toBe(false);
  });

  test("deletes links and not what they lead to, and a full folder only when told to", async () => {
    await using ground = new Playground();
    const desk = workspace(ground);
    const outside = ground.write("outside/canary", "canary");
    ground.write("root/folder/deep/a");
    symlinkSync(ground.at("outside"), ground.at("root/folder/link"));
    expect((await faultOf(desk, "workspace_delete", { path: "folder" })).message).toContain("not empty");
    expect(await desk.call("workspace_delete", { path: "folder", recursive: true })).toMatchObject({ deleted: 4 });
    expect(existsSync(outside)).toBe(true);
    expect(ground.files("root")).toEqual([]);
    ground.write("root/project/.git/config");
    ground.write("root/project/file");
    const kept = await faultOf(desk, "workspace_delete", { path: "project", recursive: true });
    expect(kept.message).toContain("kept from tools");
    expect(existsSync(ground.at("root/project/file"))).toBe(true);
    expect((await faultOf(desk, "workspace_delete", { path: "/workspace" })).message).toContain("root itself");
  });

  test("a person is asked before something is deleted, unless that is turned off", async () => {
    await using ground = new Playground();
    const asked: string[] = [];
    const pack = workspacePack({ root: ground.at("root") });
    const desk = ground.serve(pack, {
      approve: async ({ asked: request }) => {
        asked.push(request.question);
        throw new Error("no");
      },
    });
    ground.write("root/a");
    await faultOf(desk, "workspace_delete", { path: "a", recursive: true });
    expect(asked).toEqual(['May "a" and everything in it be deleted from the workspace?']);
    await desk.call("workspace_read", { path: "a" });
    expect(workspacePack({ root: ground.at("root"), approveDelete: false }).policies).toEqual([]);
  });
});

describe("what is not a plain file of the workspace", () => {
  test("a sibling whose name begins like the root is not in it", async () => {
    await using ground = new Playground();
    const desk = workspace(ground);
    ground.write("root-x/canary", "canary");
    symlinkSync(ground.at("root-x"), ground.at("root/sibling"));
    for (const path of ["../root-x/canary", "sibling/canary", `${ground.path}/root-x/canary`, "/workspace-x/canary"]) {
      const fault = await faultOf(desk, "workspace_read", { path });
      expect(fault.message).toMatch(/outside|absolute/);
    }
  });

  test("an unclean root works: a trailing slash, a dot, a link to it", async () => {
    await using ground = new Playground();
    ground.folder("real");
    symlinkSync(ground.at("real"), ground.at("alias"));
    for (const root of [`${ground.path}/./real/`, ground.at("alias"), `${ground.path}/x/../real`]) {
      const desk = ground.serve(workspacePack({ root }));
      await desk.call("workspace_write", { path: "a/b", content: root });
      expect(ground.read("real/a/b")).toBe(root);
    }
  });

  test("links inside are followed, links outside are not, and circles end", async () => {
    await using ground = new Playground();
    const desk = workspace(ground);
    ground.write("root/real/a.txt", "inside");
    ground.write("canary", "canary");
    symlinkSync("real", ground.at("root/relative"));
    symlinkSync(ground.at("root/real"), ground.at("root/absolute"));
    symlinkSync("../real", ground.at("root/real/up-and-back"));
    symlinkSync("../../root/real", ground.at("root/real/round-about"));
    symlinkSync("../../canary", ground.at("root/real/out"));
    symlinkSync(ground.at("canary"), ground.at("root/absolute-out"));
    symlinkSync(ground.at("nowhere"), ground.at("root/dangling-out"));
    symlinkSync("loop-b", ground.at("root/loop-a"));
    symlinkSync("loop-a", ground.at("root/loop-b"));
    symlinkSync(".git", ground.at("root/git-alias"));
    ground.write("root/.git/config", "secret");
    for (const path of ["relative/a.txt", "absolute/a.txt", "real/up-and-back/a.txt"]) {
      expect(await textOf(desk, "workspace_read", { path })).toBe("inside");
    }
    const outside = await Promise.all(
      ["real/out", "real/round-about/a.txt", "absolute-out", "dangling-out", "dangling-out/x"].map((path) =>
        faultOf(desk, "workspace_read", { path }),
      ),
    );
    for (const { message } of outside) expect(message).toMatch(/^\/workspace\/\S+ is a link that leads outside/);
    expect((await faultOf(desk, "workspace_read", { path: "loop-a" })).message).toContain("too many links");
    expect((await faultOf(desk, "workspace_read", { path: "git-alias/config" })).message).toContain("kept from tools");
    for (const path of ["real/out", "absolute-out", "dangling-out", "dangling-out/x"]) {
      await faultOf(desk, "workspace_write", { path, content: "pwned" });
    }
    expect(ground.read("canary")).toBe("canary");
    expect(existsSync(ground.at("nowhere"))).toBe(false);
    await desk.call("workspace_write", { path: "relative/b.txt", content: "through a link" });
    expect(ground.read("root/real/b.txt")).toBe("through a link");
  });

  test("a hard link, a pipe, a device and a folder are no files", async () => {
    await using ground = new Playground();
    const desk = workspace(ground);
    linkSync(ground.write("canary", "canary"), ground.at("root/hard"));
    execFileSync("mkfifo", [ground.at("root/pipe")]);
    symlinkSync("/dev/zero", ground.at("root/device"));
    const expected: [string, RegExp][] = [
      ["hard", /hard link/],
      ["pipe", /not a plain file/],
      ["device", /leads outside/],
      [".", /is a folder/],
    ];
    for (const [path, message] of expected) {
      expect((await faultOf(desk, "workspace_read", { path })).message).toMatch(message);
      expect((await faultOf(desk, "workspace_write", { path, content: "x" })).message).toMatch(message);
      await faultOf(desk, "workspace_edit", { path, old_text: "c", new_text: "x" });
    }
    expect(ground.read("canary")).toBe("canary");
    expect(await desk.call("workspace_search", { query: "canary" })).toMatchObject({ matches: [] });
    const trusting = workspace(ground, { allowHardLinks: true });
    expect(await textOf(trusting, "workspace_read", { path: "hard" })).toBe("canary");
  });

  it.each([
    ["a missing file", "none", "/workspace/none does not exist"],
    ["a missing folder", "no/such/file", "/workspace/no/such/file does not exist"],
    ["a file as a folder", "a.txt/b", "/workspace/a.txt/b goes through something that is not a folder"],
  ])("%s has a message without a path of this machine", async (_, path, message) => {
    await using ground = new Playground();
    const desk = workspace(ground);
    ground.write("root/a.txt");
    expect((await faultOf(desk, "workspace_read", { path })).message).toBe(message);
  });
});

test("the options are described, and a mistake in them is found", () => {
  const { check } = compileConfig(workspaceOptions);
  expect(check({ root: "/x", approveDelete: false, protectedNames: [".git"] })).toMatchObject({ ok: true });
  expect(check({})).toMatchObject({ ok: false });
  expect(check({ root: "/x", aproveDelete: false })).toMatchObject({ ok: false });
});
