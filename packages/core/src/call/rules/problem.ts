import { BiplaneError } from "../../errors.ts";

/** A mistake in user-written data, and where it is: in the name of a key, or in its value. */
export interface Problem {
  readonly path: Path;
  readonly at: "key" | "value";
  /** Follows the path in a sentence: "is not a known key; did you mean burst?". */
  readonly message: string;
}

export type Path = readonly (string | number)[];

/** A position in the data being read. Its `fail` reports a mistake there. */
export interface DocumentCursor {
  readonly path: Path;
  readonly at: (key: string | number) => DocumentCursor;
  readonly fail: (message: string, at?: Problem["at"]) => undefined;
}

/** A cursor that collects every mistake at or below it in `problems`. */
export function cursorIn(problems: Problem[], path: Path = []): DocumentCursor {
  return {
    path,
    at: (key) => cursorIn(problems, [...path, key]),
    fail: (message, at = "value") => {
      problems.push({ path, at, message });
      return undefined;
    },
  };
}

/** Throws if there are problems. The message shows the first; `details` has all. */
export function throwProblems(problems: readonly Problem[], whole: string): void {
  const [first] = problems;
  if (!first) return;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  throw new BiplaneError("INVALID_DEFINITION", `${showProblem(first, whole)}${more}`, {
    details: { path: first.path, problems },
  });
}

/** A problem as a sentence. `whole` names the data as a whole, such as "The pattern". */
export function showProblem({ path, message }: Problem, whole: string): string {
  return `${path.length === 0 ? whole : showPath(path)} ${message}`;
}

/** `policies[2].arguments."a b"` */
export function showPath(path: Path): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      const name = /^[\w-]{1,80}$/.test(step) ? step : JSON.stringify(step.slice(0, 80));
      return index === 0 ? name : `.${name}`;
    })
    .join("");
}
