import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { followDocument } from "./follow-document.ts";

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");
const tutorial = read("docs/tutorial-customer-support.md");
const excerpts = Array.from(tutorial.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm));

test.each(excerpts.map(([, file = "", code = ""]) => [file, code] as const))(
  "the excerpt of %s is in the example as it stands",
  (file, code) => expect(read(`examples/customer-support/${file}`)).toContain(code),
);

test("every code block of the tutorial names its file", () => {
  expect(excerpts.length).toBe(Array.from(tutorial.matchAll(/^```ts$/gm)).length);
});

followDocument("tutorial-customer-support.md", { least: 20 });
