import { toUSVString } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitMessage } from "../../../packages/biplane/src/pack/chat/split-message.ts";

const runs = process.env["BIPLANE_SOAK"] ? 5000 : 300;

describe("a long message", () => {
  test("that fits is left alone", () => {
    expect(splitMessage("x".repeat(2000), { limit: 2000, fences: true })).toEqual(["x".repeat(2000)]);
  });

  test.each([
    [
      "paragraphs",
      `${"a".repeat(60)}\n\n${"b".repeat(20)}\n${"c ".repeat(20)}`,
      100,
      ["a".repeat(60), `${"b".repeat(20)}\n${"c ".repeat(20)}`],
    ],
    [
      "lines",
      `${"a".repeat(30)}\n${"b".repeat(30)}\n${"c".repeat(60)}`,
      100,
      [`${"a".repeat(30)}\n${"b".repeat(30)}`, "c".repeat(60)],
    ],
    ["words", `${"word ".repeat(25)}end`, 100, ["word ".repeat(20).trim(), "word ".repeat(5) + "end"]],
    ["anywhere", "x".repeat(250), 100, ["x".repeat(100), "x".repeat(100), "x".repeat(50)]],
  ])("is split between %s where it can be", (_, message, limit, expected) => {
    expect(splitMessage(message, { limit, fences: false })).toEqual(expected);
  });

  test("is never cut inside a character, not even one of many parts", () => {
    const family = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}";
    for (const part of splitMessage(family.repeat(30), { limit: 100, fences: false })) {
      expect(part.length % family.length).toBe(0);
    }
    const accent = "e\u0301";
    for (const part of splitMessage(accent.repeat(200), { limit: 99, fences: false }))
      expect(part.endsWith("\u0301")).toBe(true);
  });

  test("closes a code block at the end of a part and opens it again in the next", () => {
    const code = Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\n");
    const parts = splitMessage(`Look:\n\`\`\`js\n${code}\n\`\`\`\nThat was it.`, { limit: 100, fences: true });
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(100);
      expect(part.match(/^```/gm)?.length ?? 0).toBe(part === parts.at(-1) && !part.includes("line") ? 0 : 2);
    }
    expect(parts[1]).toMatch(/^```js\nline \d+\n[^]*\n```$/);
    expect(parts.join("\n").match(/^line \d+$/gm)).toHaveLength(30);
  });

  test("loses nothing but white space where it is cut, whatever it holds", () => {
    const piece = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("\n", "\n\n", " ", "word ", "\u{1f600}", "\u0301", "\u200d"),
    );
    const message = fc.array(piece, { maxLength: 200 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(message, fc.integer({ min: 20, max: 120 }), (message, limit) => {
        fc.pre(toUSVString(message) === message);
        const parts = splitMessage(message, { limit, fences: false });
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(limit);
          expect(toUSVString(part)).toBe(part);
        }
        expect(parts.join("").replaceAll(/\s/g, "")).toBe(message.replaceAll(/\s/g, ""));
      }),
      { numRuns: runs },
    );
  });

  test("keeps to the limit with code blocks of any kind", () => {
    const piece = fc.constantFrom(
      "```\n",
      "```js\n",
      "\n```\n",
      "``",
      "text ",
      "\n",
      "x".repeat(70),
      `\`\`\`${"i".repeat(50)}\n`,
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        for (const part of splitMessage(pieces.join(""), { limit: 100, fences: true }))
          expect(part.length).toBeLessThanOrEqual(100);
      }),
      { numRuns: runs },
    );
  });
});
