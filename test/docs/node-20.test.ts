import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** `using x = …` and `await using x = …`, which Node 20 cannot parse. */
const usingDeclaration = /^\s*(?:await\s+)?using\s+[\w$]+(?:\s*:[^=]+)?\s*=/m;

const documents = ["README.md", "CONTRIBUTING.md", ...filesIn("docs", /\.md$/)];
const programs = [...filesIn("examples", /\.[cm]?[jt]s$/), ...filesIn("packages/biplane/src/cli/init", /\.ts$/)];

test.each(documents)("the code of %s parses in Node 20", (file) => {
  const blocks = [...read(file).matchAll(/^```(?:ts|js|typescript|javascript)\b.*\n([\s\S]*?)^```$/gm)];
  expect(blocks.map(([, code = ""]) => code).filter((code) => usingDeclaration.test(code))).toEqual([]);
});

test.each(programs)("%s parses in Node 20", (file) => {
  expect(usingDeclaration.exec(read(file))?.[0]).toBeUndefined();
});

test("the declarations that Node 20 cannot parse are found", () => {
  const lines = ["await using a = b();", "  using file: File = open();", "await  using $x=1;"];
  expect(lines.map((line) => usingDeclaration.test(line))).toEqual([true, true, true]);
  expect(usingDeclaration.test("const using = 1; // using x = y")).toBe(false);
});

function filesIn(folder: string, pattern: RegExp): string[] {
  return (
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      // Names with a dot in front are of tests that run meanwhile.
      .filter((file) => pattern.test(file) && !file.includes("node_modules") && !basename(file).startsWith("."))
      .map((file) => join(folder, file))
  );
}

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}
