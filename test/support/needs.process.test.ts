import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { needs } from "./needs.ts";

const folder = mkdtempSync(join(tmpdir(), "biplane-needs-"));
afterAll(() => rmSync(folder, { recursive: true }));

function programThat(script: string): string {
  const program = join(folder, String(programs++));
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  return program;
}
let programs = 0;

test("a program that runs skips nothing", () => {
  expect(needs(programThat("exit 0"))).toEqual({});
});

test.each([
  ["lacks a library", "echo 'error while loading libx.so' >&2; exit 127", "error while loading libx.so"],
  ["is a stub", "echo 'install it with snap'; exit 1", "exit code 1"],
  ["crashes", "kill -SEGV $$", "ended by SIGSEGV"],
])("a program that %s is a reason to skip", (_, script, reason) => {
  const program = programThat(script);
  expect(needs(program)).toEqual({ skip: true, meta: { needs: `${program} (does not run: ${reason})` } });
});

test("a program that is not installed is a reason to skip", () => {
  expect(needs("no-such-program")).toEqual({ skip: true, meta: { needs: "no-such-program (not found)" } });
});
