import { StarlarkError, type Problem } from "../errors.ts";
import type { Source } from "../syntax/source.ts";
import { decodeUtf8 } from "../utf8.ts";

/** The static errors of one file, collected so that all of them can be shown at once. */
export class Problems {
  readonly #source: Source;
  readonly #found: Problem[] = [];

  constructor(source: Source) {
    this.#source = source;
  }

  /** Enough problems to stop looking for what each of them might have meant. */
  get isLong(): boolean {
    return this.#found.length >= 10;
  }

  add(at: number, reason: string): void {
    if (this.#found.length >= mostProblems) return;
    this.#found.push({ reason: decodeUtf8(reason), location: this.#source.locate(at) });
  }

  /** Throws one error, at the first place in the file, that lists them all. */
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

/** More than anyone reads; finding the place of each takes time. */
const mostProblems = 100;
