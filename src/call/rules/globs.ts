import { compileGlob, longestGlob } from "./glob.ts";
import type { Matcher } from "./matcher.ts";
import type { Place } from "./problem.ts";
import { orList, readList } from "./read-list.ts";
import { showValue } from "./show-value.ts";

/** Reads one glob or several. */
export function readGlobs(written: unknown, place: Place): Matcher {
  const globs = readList(written, place, (item, at) => {
    if (typeof item !== "string" || item === "") at.fail("must be text, in which * and ? stand for other characters");
    else if (item.length > longestGlob) at.fail(`must have at most ${longestGlob} characters`);
    else return { test: compileGlob(item), item };
    return undefined;
  });
  return {
    matches: (value) =>
      value === undefined ? undefined : typeof value === "string" && globs.some(({ test }) => test(value)),
    wants: `like ${orList(globs.map(({ item }) => showValue(item)))}`,
  };
}
