import { Builtin, StarlarkFunction } from "./callable.ts";
import { Dict } from "./dict.ts";
import { HostObject } from "./host-object.ts";
import { List } from "./list.ts";
import { StarlarkSet } from "./set.ts";
import { Tuple } from "./tuple.ts";
import type { Value } from "./value.ts";

/** Makes values and everything reachable from them immutable. */
export function freeze(values: Iterable<Value>): void {
  const pending: Value[] = [...values];
  const seen = new Set<Value>();
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    freezeOne(value, pending);
  }
}

function freezeOne(value: Value, pending: Value[]): void {
  if (value instanceof List) {
    if (value.frozen) return;
    value.frozen = true;
    for (const element of value.elements) pending.push(element);
  } else if (value instanceof Tuple) {
    for (const element of value.elements) pending.push(element);
  } else if (value instanceof Dict || value instanceof StarlarkSet) {
    if (value.table.frozen) return;
    value.table.frozen = true;
    for (const entry of value.table.entries.values()) pending.push(entry.key, entry.value);
  } else if (value instanceof StarlarkFunction) {
    if (value.frozen) return;
    value.frozen = true;
    for (const fallback of value.defaults) if (fallback !== undefined) pending.push(fallback);
    for (const cell of value.captured) if (cell.value !== undefined) pending.push(cell.value);
  } else if (value instanceof Builtin) {
    pending.push(value.receiver);
  } else if (value instanceof HostObject) value.behaviour.freeze?.();
}
