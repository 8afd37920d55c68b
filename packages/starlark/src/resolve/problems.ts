import { StarlarkError, type Problem } from "../errors.ts";
import type { Source } from "../syntax/source.ts";
import { decodeUtf8 } from "../utf8.ts";

/** Collects the static errors of one file, to report them together. */
export class Problems {
  readonly #source: Source;
  readonly #found: Problem[] = [];

  constructor(source: Source) {
    this.#source = source;
  }

  /** True if there are too many problems to compute spelling suggestions. */
  get isLong(): boolean {
    return this.#found.length >= 10;
  }

  add(at: number, reason: string): void {
    if (this.#found.length >= maxProblems) return;
    this.#found.push({ reason: decodeUtf8(reason), location: this.#source.locate(at) });
  }

  /** Throws one error that lists all problems, located at the first one. */
  throwIfAny(): void {
    const problems = this.#found.toSorted((a, b) => {
      return a.location.line - b.location.line || a.location.column - b.location.column;
    });
    const [first] = problems;
    if (!first) return;
    const excerpt = this.#source.excerpt(first.location);
    throw new StarlarkError("syntax", first.reason, { location: first.location, excerpt, problems });
  }
}

/** Further problems are dropped, because locating each takes time. */
const maxProblems = 100;
