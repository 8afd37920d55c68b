import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { followDocument } from "./follow-document.ts";

followDocument("recordings.md", { least: 11 });

test("the worked case has ten commands", () => {
  const text = readFileSync(new URL("../../docs/recordings.md", import.meta.url), "utf8");
  expect(text.match(/^\$ npx biplane /gm)).toHaveLength(10);
});
