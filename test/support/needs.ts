import type { TestContext } from "vitest";
import { tryProgram } from "./try-program.ts";

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

const faults = new Map<string, string | undefined>();

function faultOf(program: string): string | undefined {
  if (!faults.has(program)) faults.set(program, tryProgram(program));
  return faults.get(program);
}
