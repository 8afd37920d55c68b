import { execFileSync } from "node:child_process";
import { linkSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, test } from "vitest";
import type { Server } from "biplane";
import { filesystemOptions } from "../../../packages/biplane/src/pack/filesystem/options.ts";
import { filesystemPack } from "../../../packages/biplane/src/pack/filesystem/pack.ts";
import { unifiedDiff } from "../../../packages/biplane/src/pack/filesystem/unified-diff.ts";
import { compileConfig } from "../../../packages/core/src/tool/schema.ts";
import { Playground, contentOf, faultOf, textOf } from "../files/playground.ts";
import { needs } from "../../support/needs.ts";

function files(playground: Playground, ...roots: string[]): Server {
  const folders = (roots.length > 0 ? roots : ["root"]).map((name) => playground.folder(name));
  return playground.serve(filesystemPack({ roots: folders }));
}

test("the tools have the names, arguments and answers of the reference server", async () => {
  await using playground = new Playground();
  const ours = files(playground);
  playground.write("root/a.txt", "one\ntwo\nthree\nfour\n");
  playground.write("root/deep/b.ts", "b");
  playground.write("root/deep/er/c.ts", "c");
  playground.write("root/pic.png", Buffer.from([137, 80, 78, 71]));
  playground.folder("root/empty");
  const main = join(
    dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/server-filesystem/package.json")),
    "dist/index.js",
  );
  const client = new Client({ name: "c", version: "1" });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [main, playground.at("root")], stderr: "ignore" }),
  );
  try {
    const theirs = new Map((await client.listTools()).tools.map((tool) => [tool.name, tool]));
    for (const tool of ours.tools) {
      const reference = theirs.get(tool.name);
      expect(reference, `of ${tool.name}`).toBeDefined();
      const [own, other] = [tool.input.json, reference?.inputSchema ?? {}] as {
        properties?: object;
        required?: string[];
      }[];
      expect(Object.keys(own?.properties ?? {}).sort(), `of ${tool.name}`).toEqual(
        Object.keys(other?.properties ?? {}).sort(),
      );
      expect([...(own?.required ?? [])].sort(), `of ${tool.name}`).toEqual([...(other?.required ?? [])].sort());
    }
    expect([...theirs.keys()].filter((name) => !ours.find(name))).toEqual(["read_file"]);
    const root = playground.at("root");
    const calls: [string, Record<string, unknown>][] = [
      ["read_text_file", { path: `${root}/a.txt` }],
      ["read_text_file", { path: `${root}/a.txt`, head: 2 }],
      ["read_text_file", { path: `${root}/a.txt`, tail: 2 }],
      ["read_media_file", { path: `${root}/pic.png` }],
      ["read_multiple_files", { paths: [`${root}/a.txt`, `${root}/deep/b.ts`] }],
      ["write_file", { path: `${root}/new.txt`, content: "new\n" }],
      ["create_directory", { path: `${root}/made/deep` }],
      ["search_files", { path: root, pattern: "**/*.ts", excludePatterns: ["**/er/**"] }],
      ["move_file", { source: `${root}/new.txt`, destination: `${root}/moved.txt` }],
      ["list_allowed_directories", {}],
    ];
    for (const [name, input] of calls) {
      if (name === "move_file") await ours.call("write_file", { path: `${root}/new.txt`, content: "new\n" });
      const mine = await ours.call(name, input);
      if (name === "move_file") {
        await ours.call("move_file", { source: `${root}/moved.txt`, destination: `${root}/new.txt` });
      }
      const answer = await client.callTool({ name, arguments: input });
      expect(mine, `of ${name}`).toEqual(answer.structuredContent);
    }
    for (const [name, input] of [
      ["list_directory", { path: root }],
      ["get_file_info", { path: `${root}/a.txt` }],
    ] as const) {
      const mine = (await textOf(ours, name, input)).split("\n").sort();
      const { content } = (await client.callTool({ name, arguments: input })).structuredContent as { content: string };
      expect(mine.map((line) => line.split(": ")[0])).toEqual(
        content
          .split("\n")
          .sort()
          .map((line) => line.split(": ")[0]),
      );
    }
    const tree = await client.callTool({
      name: "directory_tree",
      arguments: { path: root, excludePatterns: ["deep"] },
    });
    const { content } = tree.structuredContent as { content: string };
    const sorted = (JSON.parse(content) as { name: string }[]).sort((one, other) => (one.name < other.name ? -1 : 1));
    expect(JSON.parse(await textOf(ours, "directory_tree", { path: root, excludePatterns: ["deep"] }))).toEqual(sorted);
  } finally {
    await client.close();
  }
});

test("a path belongs to the innermost root; ~ and relative paths begin in the first", async () => {
  await using playground = new Playground();
  const kit = files(playground, "one", "two", "one/inner");
  for (const name of ["one/a", "two/a", "one/inner/a"]) playground.write(name, name);
  const read = (path: string) => textOf(kit, "read_text_file", { path });
  expect(await read("a")).toBe("one/a");
  expect(await read("~/a")).toBe("one/a");
  expect(await read(playground.at("two/a"))).toBe("two/a");
  expect(await read(`${playground.path}//one/./x/../../two/a`)).toBe("two/a");
  expect(await read(playground.at("one/inner/a"))).toBe("one/inner/a");
  await kit.call("move_file", { source: "a", destination: playground.at("two/b") });
  expect(playground.read("two/b")).toBe("one/a");
  expect(await textOf(kit, "list_allowed_directories", {})).toContain(playground.at("two"));
});

test("nothing outside the roots is read, written, listed or mentioned", async () => {
  await using playground = new Playground();
  const kit = files(playground, "root");
  playground.write("root-x/canary", "CANARY");
  playground.write("canary", "CANARY");
  symlinkSync("../canary", playground.at("root/soft"));
  symlinkSync("..", playground.at("root/up"));
  linkSync(playground.at("canary"), playground.at("root/hard"));
  playground.write("root/.git/config", "CANARY");
  const paths = ["../canary", "soft", "up/canary", "hard", ".git/config", "/etc/passwd", "~/../canary", "~root/x"];
  for (const path of [
    ...paths,
    playground.at("canary"),
    playground.at("root-x/canary"),
    `${playground.at("root")}/../canary`,
  ]) {
    for (const [tool, input] of [
      ["read_text_file", { path }],
      ["read_media_file", { path }],
      ["write_file", { path, content: "x" }],
      ["edit_file", { path, edits: [{ oldText: "CANARY", newText: "x" }] }],
      ["move_file", { source: "none", destination: path }],
    ] as const) {
      if (path === "~root/x" && tool === "write_file") continue;
      expect((await faultOf(kit, tool, input)).message).not.toContain("CANARY");
    }
    const several = await textOf(kit, "read_multiple_files", { paths: [path] });
    expect(several).toContain("Error - ");
    expect(several).not.toContain("CANARY");
  }
  for (const tool of ["list_directory", "list_directory_with_sizes", "directory_tree", "search_files"]) {
    await faultOf(kit, tool, { path: "up", ...(tool === "search_files" && { pattern: "**" }) });
    const shown = await textOf(kit, tool, { path: "~", ...(tool === "search_files" && { pattern: "**" }) });
    expect(shown).not.toMatch(/canary|config/);
  }
  expect([playground.read("canary"), playground.read("root-x/canary")]).toEqual(["CANARY", "CANARY"]);
});

test(
  "an edit shows what changed as a diff that patch understands, and a dry run writes nothing",
  needs("git"),
  async () => {
    await using playground = new Playground();
    const kit = files(playground);
    const before = Array.from({ length: 30 }, (_, index) => `line ${index}`).join("\n");
    playground.write("root/a.txt", before);
    const edits = [
      { oldText: "line 5\n", newText: "five\nand a half\n" },
      { oldText: "line 29", newText: "last $&" },
    ];
    const shown = await textOf(kit, "edit_file", { path: "a.txt", edits, dryRun: true });
    expect(shown).toContain("-line 5\n");
    expect(playground.read("root/a.txt")).toBe(before);
    await kit.call("edit_file", { path: "a.txt", edits });
    const after = before.replace("line 5\n", "five\nand a half\n").replace("line 29", "last $$&");
    expect(playground.read("root/a.txt")).toBe(after);
    playground.write("patched/a.txt", before);
    execFileSync("git", ["apply", "-p0", "--unidiff-zero", "-"], {
      cwd: playground.at("patched"),
      input: (await unifiedDiff(before, after, { path: "a.txt" })).replaceAll(/\t(original|modified)/g, ""),
    });
    expect(playground.read("patched/a.txt")).toBe(after);
    const twice = await faultOf(kit, "edit_file", { path: "a.txt", edits: [{ oldText: "line", newText: "x" }] });
    expect(twice.message).toContain("more than once");
  },
);

test("refuses head with tail, a missing folder, and what is there already", async () => {
  await using playground = new Playground();
  const kit = files(playground);
  playground.write("root/a", "a");
  playground.write("root/b", "b");
  expect((await faultOf(kit, "read_text_file", { path: "a", head: 1, tail: 1 })).message).toContain("not both");
  expect((await faultOf(kit, "write_file", { path: "no/such/x", content: "" })).message).toContain("does not exist");
  expect((await faultOf(kit, "move_file", { source: "a", destination: "b" })).message).toContain("already exists");
  expect((await faultOf(kit, "create_directory", { path: "a" })).message).toContain("already exists");
  expect((await contentOf(kit, "read_media_file", { path: "a" }))[0]).toMatchObject({ type: "resource" });
});

test("the options are described, and a root must be there", () => {
  expect(compileConfig(filesystemOptions).check({ roots: ["/x"] })).toMatchObject({ ok: true });
  expect(compileConfig(filesystemOptions).check({ roots: [] })).toMatchObject({ ok: false });
  expect(() => filesystemPack({ roots: ["/no/such/folder"] })).toThrow("cannot be used");
});
