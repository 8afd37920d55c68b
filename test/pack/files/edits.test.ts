import fc from "fast-check";
import { expect, test } from "vitest";
import { Turns } from "@biplane/core/internal";
import { unifiedDiff } from "../../../packages/biplane/src/pack/filesystem/unified-diff.ts";
import { filesystemPack } from "../../../packages/biplane/src/pack/filesystem/pack.ts";
import { replaceText } from "../../../packages/biplane/src/pack/shared/files/replace-text.ts";
import { workspacePack } from "../../../packages/biplane/src/pack/workspace/pack.ts";
import { heldMs } from "../../support/hold-meter.ts";
import { faultOf, Playground, textOf } from "./playground.ts";

const bounds = { shown: "a.txt", maxBytes: 10_000_000, turns: new Turns() };
const megabyte = 1024 * 1024;

test("replacing gives what split and join give", async () => {
  const few = fc.string({ unit: fc.constantFrom("a", "b", "日"), maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(few, few, few, async (text, needle, to) => {
      for (const from of [needle, `${needle}${"ab".repeat(200)}`].filter((each) => each !== "")) {
        const whole = `${text}${from}${text}${from}`;
        const { text: replaced, count } = await replaceText(whole, { from, to, isEverywhere: true, ...bounds });
        expect(replaced).toBe(whole.split(from).join(to));
        expect(count).toBe(whole.split(from).length - 1);
      }
    }),
  );
});

test("a replacement that would be too large is refused before it is made", async () => {
  await using playground = new Playground();
  const files = playground.serve(workspacePack({ root: playground.at("root") }));
  playground.write("root/a.txt", "a".repeat(100_000));
  // The result would be longer than the longest possible string.
  const edit = { path: "a.txt", old_text: "a", new_text: "b".repeat(10_000), replace_all: true };
  expect(await faultOf(files, "workspace_edit", edit)).toMatchObject({
    code: "INVALID_INPUT",
    message: "The content has 1000000000 bytes, more than the limit of 10485760.",
  });
  playground.write("root/a.txt", "a".repeat(100_001));
  expect((await faultOf(files, "workspace_edit", edit)).message).toContain("more than 100000 times");
});

test("a long text to replace that begins and ends like the file is searched for in linear time", async () => {
  await using playground = new Playground();
  const files = playground.serve(workspacePack({ root: playground.at("root") }));
  const half = "a".repeat(100_000);
  playground.write("root/a.txt", half.repeat(4));
  const edit = { path: "a.txt", old_text: `${half}b${half}`, new_text: "" };
  const held = await heldMs(async () =>
    expect((await faultOf(files, "workspace_edit", edit)).message).toContain("is not in"),
  );
  expect(held).toBeLessThan(500);
});

test("100 edits of a file of 9 MB do not hold the event loop", async () => {
  await using playground = new Playground();
  const line = "x".repeat(89);
  const lines = Array.from({ length: 100_000 }, (_, at) => (at % 1000 === 0 ? `edit ${at}.` : line));
  playground.write("root/a.txt", lines.join("\n"));
  const files = playground.serve(filesystemPack({ roots: [playground.at("root")] }));
  const edits = Array.from({ length: 100 }, (_, at) => ({ oldText: `edit ${at * 1000}.`, newText: `done ${at}` }));
  let shown = "";
  const held = await heldMs(async () => {
    shown = await textOf(files, "edit_file", { path: "a.txt", edits });
  });
  expect(held).toBeLessThan(500);
  expect(shown).toContain("-edit 0.\n");
  expect(shown.length).toBeLessThan(megabyte / 5);
  expect(playground.read("root/a.txt")).toContain("done 99\n");
});

test("a diff leads from the old text to the new one", async () => {
  const lines = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "d"), { maxLength: 12 }).map((all) => all.join(""));
  await fc.assert(
    fc.asyncProperty(lines, lines, async (before, after) => {
      expect(patched(before, await unifiedDiff(before, after, { path: "a" }))).toBe(after);
    }),
    { numRuns: 500 },
  );
});

/** Applies a diff of one hunk, and checks that its old side is the text. */
function patched(text: string, diff: string): string {
  const [, head, body] = /^--- .*\n\+\+\+ .*\n(?:@@ -(\d+),\d+ \+\d+,\d+ @@\n([^]*))?$/.exec(diff) ?? [];
  if (head === undefined || body === undefined) return text;
  const side = (signs: string) =>
    (body.match(/^[ +-][^\n]*\n(?:\\[^\n]*\n)?/gm) ?? [])
      .filter((line) => signs.includes(line[0] ?? ""))
      .map((line) => line.slice(1).replace("\n\\ No newline at end of file\n", ""))
      .join("");
  const all = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const above = all.slice(0, Math.max(0, Number(head) - 1)).join("");
  expect(text.startsWith(above + side(" -"))).toBe(true);
  return above + side(" +") + text.slice((above + side(" -")).length);
}

test("long lines around a change are cut too", async () => {
  const long = `${"x".repeat(1_000_000)}\n`;
  const diff = await unifiedDiff(`${long}old\n${long}`, `${long}new\n${long}`, { path: "a", maxLength: 6000 });
  expect(diff.length).toBeLessThan(7000);
  expect(diff).toMatch(/\n-old\n\+new\n x+…\n… The diff is cut/);
});
