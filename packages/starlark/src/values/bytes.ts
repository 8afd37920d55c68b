/** A Starlark bytes value; each character of `data` is one byte. */
export class Bytes {
  readonly data: string;

  constructor(data: string) {
    this.data = data;
  }

  get typeName(): string {
    return "bytes";
  }
}
