import fc from "fast-check";
import { expect, test } from "vitest";
import { compileTemplate } from "../../packages/core/src/server/uri-template.ts";

const literal = fc.stringMatching(/^[ab/?]{0,3}$/);
const template = fc.array(fc.record({ before: literal, isLong: fc.boolean() }), { maxLength: 4 }).chain((parts) =>
  literal.map((end) => ({
    text: parts.map(({ before, isLong }, at) => `${before}{${isLong ? "+" : ""}v${at}}`).join("") + end,
    pattern: new RegExp(
      `^${parts.map(({ before, isLong }) => escaped(before) + (isLong ? "(.+)" : "([^/?#]+)")).join("")}${escaped(end)}$`,
    ),
  })),
);

function escaped(text: string): string {
  return text.replaceAll("?", String.raw`\?`);
}

test("a template finds what a regular expression would, first holes as long as can be", () => {
  fc.assert(
    fc.property(template, fc.stringMatching(/^[ab/?\n]{0,10}$/), ({ text, pattern }, uri) => {
      const found = pattern.exec(uri)?.slice(1);
      const values = compileTemplate(text).match(uri);
      expect(values && Object.values(values)).toEqual(found);
    }),
    { numRuns: process.env["BIPLANE_SOAK"] ? 100_000 : 3000 },
  );
});

test("a hostile template finishes", () => {
  const holes = (between: string) => Array.from({ length: 16 }, (_, at) => `{+v${at}}`).join(between);
  for (const between of ["", "a", "/"]) {
    const trap = compileTemplate(`x:${holes(between)}{last}!`.replace("{+v15}", ""));
    expect(trap.match(`x:${"a/".repeat(4000)}?!`)).toBeUndefined();
  }
});
