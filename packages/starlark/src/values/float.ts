/** A Starlark float. Ints are bare JavaScript numbers and bigints, so a float needs a box to be told apart. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }

  get typeName(): string {
    return "float";
  }
}
