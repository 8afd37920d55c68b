import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { codePoints, decodeUtf8, encodeUtf8 } from "../../packages/starlark/src/utf8.ts";
import { anyCharacter } from "../support/any-character.ts";

describe("UTF-8 in byte strings", () => {
  it("is the encoding every other program uses", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const wellFormed = Buffer.from(text, "utf8").toString("utf8");
        expect(encodeUtf8(text)).toBe(Buffer.from(wellFormed, "utf8").toString("latin1"));
        expect(decodeUtf8(encodeUtf8(text))).toBe(wellFormed);
      }),
    );
  });

  it("decodes each byte that is not UTF-8 to one replacement character", () => {
    expect(decodeUtf8("a\xffb\xc3")).toBe("a\ufffdb\ufffd");
    expect(codePoints("\xed\xb0\x80")).toEqual([0xfffd, 0xfffd, 0xfffd]);
    expect(codePoints("\xc0\x80")).toEqual([0xfffd, 0xfffd]);
    expect(codePoints("\xf4\x90\x80\x80")).toHaveLength(4);
  });
});
