import type { Condition } from "./conditions.ts";
import { readMatcher } from "./matcher.ts";
import { showPath } from "./problem.ts";
import type { DocumentCursor } from "./problem.ts";
import { showValue } from "./show-value.ts";

/** A condition on one argument, given by a path such as `user.name` or `items.0.price`. */
export function readArgument(key: string, written: unknown, cursor: DocumentCursor): Condition {
  const steps = readSteps(key);
  if (!steps) cursor.fail("is not a path to an argument; write one such as amount or user.name", "key");
  const { matches, wants } = readMatcher(written, cursor);
  const find = findArgument(steps ?? []);
  const name = showPath(["arguments", ...(steps ?? [key])]);
  return {
    path: cursor.path,
    matches: ({ input }) => matches(find(input)) === true,
    why: ({ input }) => {
      const value = find(input);
      return `${name} is ${value === undefined ? "missing" : showValue(value)}; the rule needs ${wants}`;
    },
  };
}

/** Splits a path at its dots (`\.` is a literal dot). Undefined if the path is invalid. */
export function readSteps(path: string): readonly string[] | undefined {
  const steps = path.split(/(?<!\\)\./).map((step) => step.replaceAll("\\.", "."));
  return path.length <= maxPathLength && steps.every((step) => step !== "") ? steps : undefined;
}

/** Reads the value at a path. Only own properties count. */
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

const maxPathLength = 500;
