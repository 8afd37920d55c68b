import { linkSync, readdirSync, symlinkSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { memoryOptions } from "../../../packages/biplane/src/pack/memory/options.ts";
import { memoryPack } from "../../../packages/biplane/src/pack/memory/pack.ts";
import { compileConfig } from "../../../packages/core/src/tool/schema.ts";
import { Playground, faultOf, textOf } from "../files/playground.ts";

const now = () => new Date("2026-03-09T23:30:00Z");

function memory(playground: Playground, options: Partial<Parameters<typeof memoryPack>[0]> = {}) {
  return playground.serve(memoryPack({ root: playground.at("root"), now, timeZone: "UTC", ...options }));
}

test("what was never written is empty, and reading it makes nothing", async () => {
  await using playground = new Playground();
  const mind = memory(playground);
  expect(await textOf(mind, "memory_read", {})).toBe("");
  expect(await mind.call("memory_read", { file: "today" })).toEqual({
    file: "memory/2026-03-09.md",
    content: "",
    exists: false,
  });
  expect(await mind.call("memory_search", { query: "x" })).toEqual({ matches: [] });
  expect(readdirSync(playground.at("root"))).toEqual([]);
});

test("writes, adds on a line of its own, and reads back", async () => {
  await using playground = new Playground();
  const mind = memory(playground);
  expect(await textOf(mind, "memory_write", { content: "likes tea" })).toBe("Wrote MEMORY.md");
  expect(await textOf(mind, "memory_write", { content: "has a cat\n", append: true })).toBe("Appended to MEMORY.md");
  expect(await textOf(mind, "memory_read", {})).toBe("likes tea\nhas a cat\n");
  await mind.call("memory_write", { content: "met Ada", file: "today" });
  await mind.call("memory_write", { content: "met Bob", file: "2026-03-08" });
  await mind.call("memory_write", { content: " again", file: "memory/2026-03-08.md", append: true });
  expect(playground.read("root/memory/2026-03-09.md")).toBe("met Ada");
  expect(playground.read("root/memory/2026-03-08.md")).toBe("met Bob\n again");
});

test("today depends on the time zone", async () => {
  await using playground = new Playground();
  const mind = memory(playground, { timeZone: "Asia/Tokyo" });
  expect(await mind.call("memory_read", { file: "today" })).toMatchObject({ file: "memory/2026-03-10.md" });
});

test("what many add at once is all there", async () => {
  await using playground = new Playground();
  const mind = memory(playground);
  const lines = Array.from({ length: 25 }, (_, index) => `line ${index}`);
  await Promise.all(lines.map((content) => mind.call("memory_write", { content, append: true })));
  expect(playground.read("root/MEMORY.md").split("\n").sort()).toEqual([...lines].sort());
});

test("a change made by someone else is seen at once: there is nothing to reload", async () => {
  await using playground = new Playground();
  const mind = memory(playground);
  await mind.call("memory_write", { content: "old" });
  playground.write("root/MEMORY.md", "new");
  playground.write("root/elsewhere/MEMORY.md", "not memory");
  expect(await textOf(mind, "memory_read", {})).toBe("new");
  expect(await mind.call("memory_search", { query: "new" })).toMatchObject({ matches: [{ file: "MEMORY.md" }] });
  expect(await mind.call("memory_search", { query: "not memory" })).toEqual({ matches: [] });
});

test("finds paragraphs with every word, lasting files first, then the newest day", async () => {
  await using playground = new Playground();
  const mind = memory(playground);
  playground.write("root/MEMORY.md", "# Facts\n\nAda likes\ngreen tea\n\n\nBob likes coffee\n");
  playground.write("root/memory/2026-01-01.md", "tea with ADA");
  playground.write("root/memory/2026-02-01.md", "ada: tea again");
  playground.write("root/memory/notes.md", "ada tea");
  expect(await mind.call("memory_search", { query: "tea ada" })).toEqual({
    matches: [
      { file: "MEMORY.md", line: 3, text: "Ada likes\ngreen tea" },
      { file: "memory/2026-02-01.md", line: 1, text: "ada: tea again" },
      { file: "memory/2026-01-01.md", line: 1, text: "tea with ADA" },
    ],
  });
  expect(await mind.call("memory_search", { query: "coffee" })).toMatchObject({ matches: [{ line: 7 }] });
  expect(await textOf(mind, "memory_search", { query: "milk" })).toBe("No matches in memory.");
});

describe("a file that is not one of the memory's", () => {
  it.each([
    "SOUL.md",
    "../MEMORY.md",
    "/memory/MEMORY.md",
    "memory/../MEMORY.md",
    "memory/2026-02-30.md",
    "memory/2026-13-01.md",
    "2026-1-1",
    "memory/memory/2026-01-01.md",
    "memory/2026-01-01.md/x",
    "MEMORY.md\0",
    "memory/.md",
    "",
    "constructor",
  ])("%j is refused", async (file) => {
    await using playground = new Playground();
    const mind = memory(playground);
    for (const [tool, input] of [
      ["memory_read", { file }],
      ["memory_write", { file, content: "x" }],
    ] as const) {
      expect(await faultOf(mind, tool, input)).toMatchObject({ code: "INVALID_INPUT" });
    }
    expect(readdirSync(playground.at("root"))).toEqual([]);
  });
});

test("links to elsewhere are neither read, written nor searched", async () => {
  await using playground = new Playground();
  const mind = memory(playground);
  playground.write("canary.md", "CANARY");
  playground.folder("root/memory");
  symlinkSync(playground.at("canary.md"), playground.at("root/MEMORY.md"));
  symlinkSync("../../canary.md", playground.at("root/memory/2026-01-01.md"));
  linkSync(playground.at("canary.md"), playground.at("root/memory/2026-01-02.md"));
  for (const file of ["MEMORY.md", "2026-01-01", "2026-01-02"]) {
    for (const append of [true, false]) await faultOf(mind, "memory_write", { file, content: "x", append });
    expect((await faultOf(mind, "memory_read", { file })).message).not.toContain(playground.path);
  }
  expect(await mind.call("memory_search", { query: "CANARY" })).toEqual({ matches: [] });
  expect(playground.read("canary.md")).toBe("CANARY");
});

test("a file may not grow without end", async () => {
  await using playground = new Playground();
  const mind = memory(playground, { maxBytes: 10 });
  await mind.call("memory_write", { content: "12345" });
  const fault = await faultOf(mind, "memory_write", { content: "123456", append: true });
  expect(fault.message).toContain("MEMORY.md would have 12 bytes");
  expect(playground.read("root/MEMORY.md")).toBe("12345");
});

test("more lasting files can be named, and mistakes in the options are found", async () => {
  await using playground = new Playground();
  const mind = memory(playground, { files: ["USER.md", "MEMORY.md"] });
  await mind.call("memory_write", { content: "Ada" });
  expect(playground.read("root/USER.md")).toBe("Ada");
  expect(() => memory(playground, { files: ["../x.md"] })).toThrow("memoryPack: files[0] must match the pattern");
  expect(() => memory(playground, { timeZone: "Nowhere/Never" })).toThrow("Nowhere/Never");
  const { check } = compileConfig(memoryOptions);
  expect(check({ root: "x", files: ["A.md"] })).toMatchObject({ ok: true });
  expect(check({ root: "x", files: ["../A.md"] })).toMatchObject({ ok: false });
});
