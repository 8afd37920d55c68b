import { compileGlob, maxGlobLength } from "./glob.ts";
import type { Matcher } from "./matcher.ts";
import type { DocumentCursor } from "./problem.ts";
import { orList, readList } from "./read-list.ts";
import { showValue } from "./show-value.ts";

/** Reads one glob or a list of globs. */
export function readGlobs(written: unknown, cursor: DocumentCursor): Matcher {
  const globs = readList(written, cursor, (item, at) => {
    if (typeof item !== "string" || item === "") at.fail("must be text; * and ? are wildcards");
    else if (item.length > maxGlobLength) at.fail(`must have at most ${maxGlobLength} characters`);
    else return { test: compileGlob(item), item };
    return undefined;
  });
  return {
    matches: (value) =>
      value === undefined ? undefined : typeof value === "string" && globs.some(({ test }) => test(value)),
    wants: orList(globs.map(({ item }) => (/[*?]/.test(item) ? `text like ${showValue(item)}` : showValue(item)))),
  };
}
