import type { Condition } from "./conditions.ts";
import { readMatcher } from "./matcher.ts";
import { showPath } from "./problem.ts";
import type { Place } from "./problem.ts";
import { showValue } from "./show-value.ts";

/** A condition on one argument, named by a path such as `user.name` or `items.0.price`. */
export function readArgument(key: string, written: unknown, place: Place): Condition {
  const steps = readSteps(key);
  if (!steps) place.fail("is no path to an argument; write one such as amount or user.name", "key");
  const { matches, wants } = readMatcher(written, place);
  const find = findArgument(steps ?? []);
  const name = showPath(["arguments", ...(steps ?? [key])]);
  return {
    path: place.path,
    matches: ({ input }) => matches(find(input)) === true,
    why: ({ input }) => {
      const value = find(input);
      return `${name} is ${value === undefined ? "left out" : showValue(value)}, and should be ${wants}`;
    },
  };
}

/** The steps of a path; a key that has a dot in it is written with `\.`. Undefined where it is none. */
export function readSteps(path: string): readonly string[] | undefined {
  const steps = path.split(/(?<!\\)\./).map((step) => step.replaceAll("\\.", "."));
  return path.length <= longestPath && steps.every((step) => step !== "") ? steps : undefined;
}

/** What the arguments hold there: only what is their own counts, and undefined is nothing. */
export function findArgument(steps: readonly string[]): (input: unknown) => unknown {
  return (input) => {
    let value = input;
    for (const step of steps) {
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
      if (Array.isArray(value) && step === "length") return undefined;
      value = (value as Record<string, unknown>)[step];
    }
    return value;
  };
}

const longestPath = 500;
