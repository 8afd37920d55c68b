import { Failure } from "../runtime/failure.ts";
import type { Value } from "./value.ts";

/** A mutable sequence, until it is frozen or while something iterates over it. */
export class List {
  elements: Value[];
  frozen = false;
  iterators = 0;

  constructor(elements: Value[]) {
    this.elements = elements;
  }

  get typeName(): string {
    return "list";
  }

  /** True if the index exists and the list may change now, so that assignment needs no further check. */
  canAssign(position: number): boolean {
    return !this.frozen && this.iterators === 0 && position >= 0 && position < this.elements.length;
  }

  /** Throws unless the list may change now; `verb` completes "cannot … frozen list". */
  checkMutable(verb: string): void {
    if (this.frozen) throw new Failure(`cannot ${verb} frozen list`);
    if (this.iterators > 0) throw new Failure(`cannot ${verb} list during iteration`);
  }
}
