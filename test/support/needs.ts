import { statSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestContext } from "vitest";
import { tryProgram } from "./try-program.ts";

declare module "vitest" {
  interface TaskMeta {
    /** What a skipped test lacks. */
    needs?: string;
  }
}

/**
 * Options of a test or a suite that skip it where this is missing: `linux`, a program such as `git`, `root`, or
 * `another user`: root in a folder that other users can read, so that a test can start the program as one of them.
 */
export function needs(what: string): SkipOptions {
  if (what === "root") return skipWithout(process.getuid?.() === 0, "root");
  if (what === "another user")
    return skipWithout(process.getuid?.() === 0 && canOthersRead(root), "root, in a folder that other users can read");
  if (what === "linux") return skipWithout(process.platform === "linux", "Linux");
  const fault = faultOf(what);
  return skipWithout(fault === undefined, `${what} (${fault})`);
}

/** The same for every test of a file or a suite: `beforeEach(skipWithoutProgram("git"))`. */
export function skipWithoutProgram(program: string): (context: TestContext) => void {
  return ({ skip }) => {
    const fault = faultOf(program);
    skip(fault !== undefined, `${program} (${fault})`);
  };
}

/** As `needs`, for anything else. The reason is printed after the last test. */
export function skipWithout(isThere: boolean, what: string): SkipOptions {
  return isThere ? {} : { skip: true, meta: { needs: what } };
}

export interface SkipOptions {
  readonly skip?: true;
  readonly meta?: { readonly needs: string };
}

const root = fileURLToPath(new URL("../..", import.meta.url));

function canOthersRead(folder: string): boolean {
  const isOpen = (statSync(folder).mode & 0o005) === 0o005;
  return isOpen && (dirname(folder) === folder || canOthersRead(dirname(folder)));
}

const faults = new Map<string, string | undefined>();

function faultOf(program: string): string | undefined {
  if (!faults.has(program)) faults.set(program, tryProgram(program));
  return faults.get(program);
}
