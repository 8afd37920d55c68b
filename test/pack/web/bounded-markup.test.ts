import { expect, test } from "vitest";
import { boundedMarkup, maxMarks, maxMarkupLength } from "../../../packages/biplane/src/pack/web/bounded-markup.ts";

test("a page of usual size is left as it is", () => {
  const page = `<p class="a" id=b>1 < 2 &amp; 3 > 2</p><!-- ${"a comment ".repeat(50_000)} -->${"words ".repeat(100_000)}`;
  expect(boundedMarkup(page)).toBe(page);
});

test.each([
  ["paragraphs", "<p>a"],
  ["entities", "&amp;"],
  ["attributes", ' a="b"', "<p"],
  ["attributes without values", "\na", "<p"],
  ["attributes between slashes", "/a", "<p"],
])("a page with too many %s is cut", (_, part, start = "") => {
  const page = start + part.repeat(maxMarks * 1.5);
  const bounded = boundedMarkup(page);
  expect(page.startsWith(bounded)).toBe(true);
  expect(bounded.length / part.length).toBeGreaterThan(maxMarks / 4);
  expect(bounded.length / part.length).toBeLessThan(maxMarks * 1.1);
});

test("a page that is too long is cut", () => {
  expect(boundedMarkup("a".repeat(3_000_000))).toHaveLength(maxMarkupLength);
});
