import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { codeOf, hashOfCode } from "../../packages/biplane/src/cli/rollout/code-hash.ts";

const root = mkdtempSync(join(tmpdir(), "biplane-code-"));
afterAll(() => rmSync(root, { recursive: true }));

const sources = {
  "game.ts": `import { environment } from "biplane";\nimport { rules } from "./lib/rules.js";\nexport * from './more';\n`,
  "lib/rules.ts": `export const rules = new URL("../data.json", import.meta.url);\nawait import("./late.ts");\n`,
  "lib/late.ts": `import "../game.ts";\nexport const folder = new URL("../more/", import.meta.url);\n`,
  "more/index.ts": `import ignored from "./not-there.ts";\n`,
  "data.json": "{}",
  "unrelated.ts": "",
};

function write(name: string, changed: Record<string, string> = {}): string {
  for (const [file, text] of Object.entries({ ...sources, ...changed })) {
    mkdirSync(join(root, name, file, ".."), { recursive: true });
    writeFileSync(join(root, name, file), text);
  }
  return join(root, name, "game.ts");
}

const hashOf = (file: string) => hashOfCode({ files: [file], texts: [] });

test("the hash of a module is the same wherever its files are", async () => {
  expect(await hashOf(write("here"))).toBe(await hashOf(write("elsewhere")));
  expect(await hashOf(write("more files", { "unrelated.ts": "changed" }))).toBe(await hashOf(write("here")));
});

test.each(["game.ts", "lib/rules.ts", "lib/late.ts", "more/index.ts", "data.json"] as const)(
  "the hash of a module changes with %s",
  async (file) => {
    const changed = write(`changed ${file}`, { [file]: `${sources[file]} ` });
    expect(await hashOf(changed)).not.toBe(await hashOf(write("here")));
  },
);

test("only a URL with a built-in agent needs no code", () => {
  expect(codeOf({ url: "http://127.0.0.1:8000", agent: "random" })).toBeUndefined();
  expect(codeOf({ url: "http://127.0.0.1:8000", agent: "./agent.ts" })).toMatchObject({ files: ["./agent.ts"] });
  expect(codeOf({ target: "frozen-lake", agent: "playback:game.jsonl" })).toMatchObject({
    files: ["game.jsonl"],
    texts: [expect.stringMatching(/^\d+\.\d+\.\d+/), "frozen-lake"],
  });
});
