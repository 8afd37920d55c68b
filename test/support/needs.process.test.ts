import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { needs } from "./needs.ts";

const folder = mkdtempSync(join(tmpdir(), "biplane-needs-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["that runs", "exit 0", {}],
  [
    "with a missing library",
    "echo 'error while loading libx.so' >&2; exit 127",
    "does not run: error while loading libx.so",
  ],
  ["that is a stub", "echo 'install it with snap'; exit 1", "does not run: exit code 1"],
  ["that crashes", "kill -SEGV $$", "does not run: ended by SIGSEGV"],
])("a program %s", (name, script, expected) => {
  const program = join(folder, name.replaceAll(" ", "-"));
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  const skip = { skip: true, meta: { needs: `${program} (${expected})` } };
  expect(needs(program)).toEqual(typeof expected === "string" ? skip : expected);
});

test("a program that is not installed", () => {
  expect(needs("no-such-program")).toEqual({ skip: true, meta: { needs: "no-such-program (not found)" } });
});
