import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { TestContext } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** What a skipped test lacks. */
    needs?: string;
  }
}

/** Options of a test or a suite that skip it where this is missing: `root`, `linux`, or a program such as `git`. */
export function needs(what: string): SkipOptions {
  if (what === "root") return skipWithout(process.getuid?.() === 0, "root");
  if (what === "linux") return skipWithout(process.platform === "linux", "Linux");
  return skipWithout(isOnPath(what), `${what} (not found)`);
}

/** The same for every test of a file or a suite: `beforeEach(skipWithoutProgram("git"))`. */
export function skipWithoutProgram(program: string): (context: TestContext) => void {
  return ({ skip }) => skip(!isOnPath(program), `${program} (not found)`);
}

/** As `needs`, for anything else. The reason is printed after the last test. */
export function skipWithout(isThere: boolean, what: string): SkipOptions {
  return isThere ? {} : { skip: true, meta: { needs: what } };
}

export interface SkipOptions {
  readonly skip?: true;
  readonly meta?: { readonly needs: string };
}

function isOnPath(program: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
