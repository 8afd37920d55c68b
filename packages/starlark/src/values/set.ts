import { HashTable } from "./hash-table.ts";

/** A set that keeps insertion order. */
export class StarlarkSet {
  readonly table: HashTable;

  constructor(table = new HashTable()) {
    this.table = table;
  }

  get typeName(): string {
    return "set";
  }
}
