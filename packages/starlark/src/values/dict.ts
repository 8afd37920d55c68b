import { HashTable } from "./hash-table.ts";

/** A mapping that keeps insertion order. */
export class Dict {
  readonly table: HashTable;

  constructor(table = new HashTable()) {
    this.table = table;
  }

  get typeName(): string {
    return "dict";
  }
}
