import type { Value } from "./value.ts";

/** An immutable sequence. */
export class Tuple {
  readonly elements: readonly Value[];

  constructor(elements: readonly Value[]) {
    this.elements = elements;
  }

  get typeName(): string {
    return "tuple";
  }
}

export const emptyTuple = new Tuple([]);
