import { expect, test } from "vitest";
import { robotsAllow } from "../../../packages/biplane/src/pack/web/robots.ts";

const asked = (path: string) => ({ agent: "biplane", path });

test("the longest rule of robots.txt decides, with any number of plain rules", () => {
  const plain = Array.from({ length: 10_000 }, (_, at) => `Disallow: /closed/${at}\n`).join("");
  const text = `User-agent: *\n${plain}Allow: /closed/7/open*\n`;
  expect(robotsAllow(text, asked("/closed/7/secret"))).toBe(false);
  expect(robotsAllow(text, asked("/closed/7/open/page"))).toBe(true);
  expect(robotsAllow(text, asked("/elsewhere"))).toBe(true);
});

test("a robots.txt whose rules take too long to match allows nothing", () => {
  const text = `User-agent: *\n${"Disallow: /*aaaaaaaab\n".repeat(20_000)}`;
  expect(robotsAllow(text, asked(`/${"a".repeat(8000)}`))).toBe(false);
  expect(robotsAllow(text, asked("/short"))).toBe(true);
});
