import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { foldName, protecting } from "../../../packages/biplane/src/pack/shared/files/names.ts";
import { parsePath } from "../../../packages/biplane/src/pack/shared/files/parse-path.ts";
import { anyCharacter } from "../../support/any-character.ts";

const rules = { prefix: "/workspace", isProtected: protecting([".git"]), platform: "linux" } as const;
const parse = (path: string, platform: NodeJS.Platform = "linux") => parsePath(path, { ...rules, platform });

describe("a path that is allowed", () => {
  it.each([
    ["notes.md", ["notes.md"]],
    ["/workspace/notes.md", ["notes.md"]],
    ["/workspace/subdir/file.txt", ["subdir", "file.txt"]],
    ["/workspace", []],
    ["/workspace/", []],
    [".", []],
    ["./a/../a/x", ["a", "x"]],
    ["a//b///c/", ["a", "b", "c"]],
    ["//workspace//a", ["a"]],
    ["workspace/a", ["workspace", "a"]],
    [".env", [".env"]],
    ["...", ["..."]],
    [".gitignore", [".gitignore"]],
    ["été/日本語/שלום.md", ["été", "日本語", "שלום.md"]],
    ["👩‍👩‍👧.md", ["👩‍👩‍👧.md"]],
    ["a:b.md", ["a:b.md"]],
    ["a~1.md", ["a~1.md"]],
  ])("%j", (path, names) => {
    expect(parse(path)).toEqual(names);
  });
});

describe("a path that is refused", () => {
  it.each([
    ["/workspace/../etc/passwd", "path traversal"],
    ["/etc/passwd", "path traversal"],
    ["../../../etc/passwd", "path traversal"],
    ["a/../../b", "path traversal"],
    ["/workspacex/a", "absolute"],
    ["/", "absolute"],
    ["C:/Users", "absolute"],
    ["C:\\Users", "absolute"],
    ["~", "home"],
    ["~/.ssh/id_rsa", "home"],
    ["a\\..\\..\\b", "backslash"],
    ["a\0b", "invisible characters"],
    ["a\nb", "invisible characters"],
    ["a\u202egpj.exe", "invisible characters"],
    ["a\ud800", "invisible characters"],
    ["．．/x", "look-alikes"],
    ["‥/x", "look-alikes"],
    ["a／b", "look-alikes"],
    ["a∕b", "look-alikes"],
    ["\u200b..\u200b/x", "look-alikes"],
    ["\u200b", "look-alikes"],
    [".git/config", "hidden from tools"],
    [".GIT/config", "hidden from tools"],
    [".g\u200cit/config", "hidden from tools"],
    ["\ufeff.git/config", "hidden from tools"],
    ["．git/config", "hidden from tools"],
    [".git./config", "hidden from tools"],
    [".git /config", "hidden from tools"],
    ["GIT~1/config", "hidden from tools"],
    ["é".repeat(128), "255 bytes"],
    ["a/".repeat(65), "deep"],
    ["a".repeat(5000), "longer"],
  ])("%j", (path, why) => {
    expect(() => parse(path)).toThrow(why);
  });

  it.each(["nul", "a:stream", "COM1.txt", "a.", "b ", "what?"])("on Windows: %j", (path) => {
    expect(() => parse(path, "win32")).toThrow("The path");
    expect(parse(path, "linux")).toEqual([path]);
  });
});

test("whatever is given, what comes out leads down and can be seen", () => {
  const piece = fc.oneof(
    fc.constantFrom("..", ".", "/", "\\", "\0", "~", "/workspace", ".git", "a", "é", "．", "\u202e", " ", "\ud800"),
    fc.string({ unit: anyCharacter, maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      let names: readonly string[];
      try {
        names = parse(pieces.join(""));
      } catch (error) {
        const { message } = error as Error;
        expect(message).toMatch(/^The path "/);
        expect(message).not.toMatch(/[\p{Cc}\u202e]/u);
        return;
      }
      for (const name of names) {
        expect(name).not.toMatch(/[/\\\0\p{Cc}]/u);
        expect([".", "..", ""]).not.toContain(name);
        expect(foldName(name)).not.toBe(".git");
      }
      expect(parse(`./${names.join("/")}`)).toEqual(names); // a file may be called ~
    }),
    { numRuns: process.env["BIPLANE_SOAK"] ? 100_000 : 1000 },
  );
});
