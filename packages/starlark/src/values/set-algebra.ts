import type { Thread } from "../runtime/thread.ts";
import { Dict } from "./dict.ts";
import { hashKey } from "./hash-key.ts";
import { HashTable } from "./hash-table.ts";
import { iterate, type Iterable } from "./iterate.ts";
import { tableBytes } from "./memory.ts";
import { StarlarkSet } from "./set.ts";

export function unionOf(thread: Thread, left: StarlarkSet, right: Iterable): StarlarkSet {
  const result = new StarlarkSet(copyTable(thread, left.table));
  addAll(thread, result, right);
  return result;
}

/** The elements of the left set that are also in the right one, in the order of the right one as starlark-go has it. */
export function intersectionOf(thread: Thread, left: StarlarkSet, right: Iterable): StarlarkSet {
  thread.allocate(tableBytes);
  const result = new StarlarkSet();
  iterate(right, (element) => {
    if (left.table.has(thread, element)) result.table.set(thread, element, null);
  });
  return result;
}

export function differenceOf(thread: Thread, left: StarlarkSet, right: Iterable): StarlarkSet {
  const result = new StarlarkSet(copyTable(thread, left.table));
  iterate(right, (element) => void result.table.delete(thread, element));
  return result;
}

export function symmetricDifferenceOf(thread: Thread, left: StarlarkSet, right: Iterable): StarlarkSet {
  const result = new StarlarkSet(copyTable(thread, left.table));
  iterate(right, (element) => {
    if (result.table.delete(thread, element) === undefined) result.table.set(thread, element, null);
  });
  return result;
}

export function isSupersetOf(thread: Thread, left: StarlarkSet, right: Iterable): boolean {
  let isSuperset = true;
  iterate(right, (element) => (isSuperset = left.table.has(thread, element)));
  return isSuperset;
}

export function isSubsetOf(thread: Thread, left: StarlarkSet, right: Iterable): boolean {
  if (left.table.size === 0) return true;
  const seen = new Set<unknown>();
  iterate(right, (element) => {
    const key = hashKey(thread, element);
    if (left.table.entries.has(key)) seen.add(key);
    return seen.size < left.table.size;
  });
  return seen.size === left.table.size;
}

export function addAll(thread: Thread, set: StarlarkSet, elements: Iterable): void {
  iterate(elements, (element) => set.table.set(thread, element, null));
}

export function unionOfDicts(thread: Thread, left: Dict, right: Dict): Dict {
  const result = new Dict(copyTable(thread, left.table));
  updateDict(thread, result, right);
  return result;
}

export function updateDict(thread: Thread, dict: Dict, other: Dict): void {
  for (const { key, value } of other.table.entries.values()) dict.table.set(thread, key, value);
  thread.charge(other.table.size);
}

function copyTable(thread: Thread, table: HashTable): HashTable {
  thread.allocate(tableBytes);
  const copy = new HashTable();
  for (const { key, value } of table.entries.values()) copy.set(thread, key, value);
  thread.charge(table.size);
  return copy;
}
