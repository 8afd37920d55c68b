import { existsSync, linkSync, symlinkSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { readNote } from "../../../packages/biplane/src/pack/vault/note.ts";
import { vaultOptions } from "../../../packages/biplane/src/pack/vault/options.ts";
import { vaultPack } from "../../../packages/biplane/src/pack/vault/pack.ts";
import { compileConfig } from "../../../packages/core/src/tool/schema.ts";
import { heldMs } from "../../support/hold-meter.ts";
import { Playground, faultOf, textOf } from "../files/playground.ts";

function vault(playground: Playground, watch = false) {
  return playground.serve(vaultPack({ root: playground.at("root"), watch }));
}

const ada = `---
title: Ada Lovelace
tags: [person, math/analysis]
born: 1815-12-10
---
# A heading

She wrote to [[people/Babbage|Charles]] and [[Nobody]] about the #engine.
See [the engine](../machines/Engine.md#parts) and \`[[not a link]] #not-a-tag\`.

\`\`\`
[[Babbage]] #also-not
\`\`\`
`;

test("a note is read with its head, tags, links and those that link to it", async () => {
  await using playground = new Playground();
  const notes = vault(playground);
  playground.write("root/people/Ada.md", ada);
  playground.write("root/people/Babbage.md", "Friend of [[Ada]]");
  playground.write("root/machines/Engine.md", "By [[people/Babbage]]. Described by [[ada#Notes|her]].");
  playground.write("root/Other.md", "Nothing about [[Adam]]");
  expect(await textOf(notes, "vault_read", { path: "/vault/people/Ada.md" })).toBe(ada);
  expect(await notes.call("vault_read", { path: "people/Ada" })).toEqual({
    path: "/vault/people/Ada.md",
    content: ada,
    title: "Ada Lovelace",
    front_matter: { title: "Ada Lovelace", tags: ["person", "math/analysis"], born: "1815-12-10" },
    tags: ["person", "math/analysis", "engine"],
    links: [
      { link: "people/Babbage", path: "/vault/people/Babbage.md" },
      { link: "Nobody", path: null },
      { link: "../machines/Engine.md", path: "/vault/machines/Engine.md" },
    ],
    backlinks: ["/vault/machines/Engine.md", "/vault/people/Babbage.md"],
  });
});

test("searches by words, parts of words and tags, with excerpts and the best first", async () => {
  await using playground = new Playground();
  const notes = vault(playground);
  playground.write("root/people/Ada.md", ada);
  playground.write("root/engine.md", "# Engine\nIt computes.\n");
  playground.write("root/日記.md", "今日は東京に行きました");
  playground.write("root/.obsidian/secret.md", "engine");
  playground.write("root/picture.txt", "engine");
  expect(await notes.call("vault_search", { query: "engine" })).toMatchObject({
    total: 2,
    matches: [
      { path: "/vault/engine.md", title: "Engine", excerpts: [{ line: 1, text: "# Engine" }] },
      { path: "/vault/people/Ada.md" },
    ],
  });
  expect(await textOf(notes, "vault_search", { query: "wrote engine" })).toBe(
    "Found in 1 file:\n/vault/people/Ada.md\n  8: She wrote to [[people/Babbage|Charles]] and [[Nobody]] about the #engine.",
  );
  expect(await notes.call("vault_search", { query: "ompute" })).toMatchObject({ total: 1 });
  expect(await notes.call("vault_search", { query: "東京" })).toMatchObject({ matches: [{ path: "/vault/日記.md" }] });
  expect(await notes.call("vault_search", { query: "#math" })).toMatchObject({
    matches: [{ path: "/vault/people/Ada.md" }],
  });
  expect(await notes.call("vault_search", { query: "engine", path: "people" })).toMatchObject({ total: 1 });
  expect(await textOf(notes, "vault_search", { query: "ze'bra" })).toBe(`No files containing "ze'bra"`);
});

test("what is written, changed and removed is found, or not, by the next search", async () => {
  await using playground = new Playground();
  const notes = vault(playground);
  const find = async (query: string) => ((await notes.call("vault_search", { query })) as { total: number }).total;
  expect(await find("apple")).toBe(0);
  expect(await textOf(notes, "vault_write", { path: "deep/a.md", content: "apple" })).toBe("Wrote deep/a.md");
  expect(await find("apple")).toBe(1);
  playground.write("root/deep/a.md", "pears");
  expect([await find("apple"), await find("pears")]).toEqual([0, 1]);
  await notes.call("vault_write", { path: "deep/a.md", content: "plums" });
  expect([await find("pears"), await find("plums")]).toEqual([0, 1]);
});

test("a change made by someone else reaches a vault that is watched, without a reload", async () => {
  await using playground = new Playground();
  const notes = vault(playground, true);
  const find = async (query: string) => ((await notes.call("vault_search", { query })) as { total: number }).total;
  playground.write("root/a.md", "apple");
  expect(await find("apple")).toBe(1);
  playground.write("root/b/c.md", "pears");
  await expect.poll(() => find("pears"), { timeout: 10_000 }).toBe(1);
  playground.write("root/b/c.md", "plums");
  await expect.poll(() => find("plums"), { timeout: 10_000 }).toBe(1);
});

test("lists a folder, or all notes below it", async () => {
  await using playground = new Playground();
  const notes = vault(playground);
  expect(await textOf(notes, "vault_list", {})).toBe("No files found");
  for (const name of ["b.md", "a/x/y.md", "a/pic.png", ".obsidian/app.json", ".git/config"])
    playground.write(`root/${name}`);
  expect(await textOf(notes, "vault_list", { path: "/vault" })).toBe("a/\nb.md");
  expect(await textOf(notes, "vault_list", { path: "a" })).toBe("pic.png\nx/");
  expect(await textOf(notes, "vault_list", { recursive: true })).toBe("a/\na/x/\na/x/y.md\nb.md");
  expect(await notes.call("vault_list", { path: "a", recursive: true })).toMatchObject({
    entries: ["a/x/", "a/x/y.md"],
  });
});

describe("what is behind a dot, or outside", () => {
  it.each([
    ".git/config",
    ".obsidian/app.json",
    "a/.git/hooks/x",
    ".GIT/config",
    "GIT~1/config",
    ".",
    "../x.md",
    "/etc/passwd",
    "a/../../x",
  ])("%j is neither read nor written", async (path) => {
    await using playground = new Playground();
    const notes = vault(playground);
    playground.write("root/.git/config", "CANARY");
    playground.write("root/.obsidian/app.json", "CANARY");
    const fault = await faultOf(notes, "vault_read", { path });
    expect(fault.message).not.toMatch(/CANARY|biplane-pack/);
    await faultOf(notes, "vault_write", { path, content: "[core]\n  fsmonitor = evil" });
    expect(playground.read("root/.git/config")).toBe("CANARY");
    expect(existsSync(playground.at("x.md"))).toBe(false);
  });

  test("notes that are links to elsewhere are not read, searched or linked", async () => {
    await using playground = new Playground();
    const notes = vault(playground);
    playground.write("canary.md", "CANARY [[note]]");
    playground.write("root/note.md", "a note");
    symlinkSync(playground.at("canary.md"), playground.at("root/soft.md"));
    linkSync(playground.at("canary.md"), playground.at("root/hard.md"));
    symlinkSync("..", playground.at("root/up"));
    for (const path of ["soft.md", "hard.md", "up/canary.md"]) await faultOf(notes, "vault_read", { path });
    expect(await notes.call("vault_search", { query: "CANARY" })).toMatchObject({ total: 0 });
    expect(await notes.call("vault_read", { path: "note.md" })).toMatchObject({ backlinks: [] });
  });
});

describe("a head that is not what it should be", () => {
  it.each([
    [
      "a bomb of aliases",
      `---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b]\n---\nbody`,
    ],
    ["a circle", "---\na: &a [*a]\n---\nbody"],
    ["a list", "---\n- a\n---\nbody"],
    ["broken YAML", "---\na: [\n---\nbody"],
    ["unknown tags", "---\na: !!js/function 'x'\nb: [}\n---\nbody"],
    ["too deep", `---\na: ${"[".repeat(20_000)}\n---\nbody`],
  ])("%s is an empty one, and the note can be read", async (_, text) => {
    const note = await readNote(text, "a.md");
    expect(note.frontMatter).toEqual({});
    expect(note.frontMatterFault).toMatch(/\S/);
    expect(note.title).toBe("a");
  });

  test("cannot reach into objects", async () => {
    const note = await readNote("---\n__proto__: {polluted: 1}\nconstructor: 2\n---\n", "a.md");
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(note.frontMatter)).toBe(Object.prototype);
  });

  test("any text is a note, in little time", async () => {
    const piece = fc.constantFrom(
      "---\n",
      "[[",
      "]]",
      "#",
      "`",
      "```\n",
      "](",
      ")",
      "a",
      "|",
      "\n",
      "- ",
      "tags: ",
      "é",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
        const note = await readNote(pieces.join(""), "x.md");
        expect(JSON.stringify(note)).toContain("title");
      }),
      { numRuns: 300 },
    );
    for (const hostile of ["[[", "[[a|", "](", "`", "#a ", "```\n"])
      await readNote(hostile.repeat(200_000 / hostile.length), "x.md");
  });
});

test("the options are described", () => {
  const { check } = compileConfig(vaultOptions);
  expect(check({ root: "x", git: { repository: "https://example.org/x.git" } })).toMatchObject({ ok: true });
  expect(check({ root: "x", git: { repo: "https://example.org/x.git" } })).toMatchObject({ ok: false });
});

test("a note with deeply nested front matter is read again and again, and the others are found", async () => {
  await using playground = new Playground();
  const notes = vault(playground);
  const deep = { marks: "- ".repeat(1500), lists: `a: ${"[".repeat(1500)}`, keys: "? ".repeat(1500) };
  for (const [name, head] of Object.entries(deep)) playground.write(`root/${name}.md`, `---\n${head}\n---\nHello`);
  playground.write("root/other.md", "Hello");
  for (let time = 0; time < 3; time++) {
    for (const name of Object.keys(deep)) {
      const read = (await notes.call("vault_read", { path: name })) as { front_matter_error?: string };
      expect(read.front_matter_error).toContain("is nested too deeply");
    }
  }
  expect(await notes.call("vault_search", { query: "hello" })).toMatchObject({ total: 4 });
  const restarted = vault(playground);
  expect(await restarted.call("vault_search", { query: "hello" })).toMatchObject({ total: 4 });
});

test.each([
  ["links that are not closed", `](${"a".repeat(500)}\n`],
  ["many links", "[[a]] "],
  ["many tags", "#tag "],
  ["many different links", "LINK"],
  ["many lines", "\n"],
  ["quotes", "`"],
])("a note of a megabyte does not hold the event loop: %s", async (_, part) => {
  await using playground = new Playground();
  const notes = vault(playground);
  const parts = Array.from({ length: Math.floor(1_000_000 / Math.max(part.length, 1)) }, (__, at) =>
    part === "LINK" ? `[[${at}]]` : part,
  );
  playground.write("root/a.md", parts.join("").slice(0, 1_000_000));
  expect(await heldMs(() => notes.call("vault_read", { path: "a.md" }))).toBeLessThan(250);
});

test("a note that many others link to has a limited number of backlinks", async () => {
  await using playground = new Playground();
  const notes = vault(playground);
  playground.write("root/a.md", "a");
  for (let at = 0; at < 1010; at++) playground.write(`root/${at}/b.md`, "[[a]]");
  const { backlinks } = (await notes.call("vault_read", { path: "a.md" })) as { backlinks: string[] };
  expect(backlinks).toHaveLength(1000);
});
