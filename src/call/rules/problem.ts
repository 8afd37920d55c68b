import { BiplaneError } from "../../errors.ts";

/** One mistake in what a person wrote, and where: in the name of a key, or in what it holds. */
export interface Problem {
  readonly path: Path;
  readonly at: "key" | "value";
  /** What is wrong there, to be read after the path: "is not a known key; did you mean burst?". */
  readonly message: string;
}

export type Path = readonly (string | number)[];

/** Where a reader is in what was written, and how it says that something is wrong there. */
export interface Place {
  readonly path: Path;
  readonly at: (key: string | number) => Place;
  readonly fail: (message: string, at?: Problem["at"]) => undefined;
}

/** A place that puts every mistake found at or below it into `problems`. */
export function placeIn(problems: Problem[], path: Path = []): Place {
  return {
    path,
    at: (key) => placeIn(problems, [...path, key]),
    fail: (message, at = "value") => {
      problems.push({ path, at, message });
      return undefined;
    },
  };
}

/** Throws where there are problems: the first is the message, all of them are in `details`. */
export function refuse(problems: readonly Problem[], whole: string): void {
  const [first] = problems;
  if (!first) return;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  throw new BiplaneError("INVALID_DEFINITION", `${showProblem(first, whole)}${more}`, {
    details: { path: first.path, problems },
  });
}

/** A problem as a sentence; `whole` stands for what has no path, such as "the pattern". */
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
