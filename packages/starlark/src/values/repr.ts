import type { Thread } from "../runtime/thread.ts";
import { decodeAt, encodeCodePoint, isAscii } from "../utf8.ts";
import { Bytes } from "./bytes.ts";
import { Builtin, StarlarkFunction } from "./callable.ts";
import { Dict } from "./dict.ts";
import { Float } from "./float.ts";
import { formatFloat } from "./format-float.ts";
import { chargeDecimal } from "./int.ts";
import { List } from "./list.ts";
import { quote } from "./quote.ts";
import { Range } from "./range.ts";
import { StarlarkSet } from "./set.ts";
import { BytesView, StringView } from "./string-view.ts";
import { Tuple } from "./tuple.ts";
import { typeName, type Value } from "./value.ts";

/** What `str(value)` returns: a string is itself, anything else its representation. */
export function toText(thread: Thread, value: Value): string {
  if (typeof value === "string") return value;
  if (value instanceof Bytes) return replaceInvalid(value.data);
  return repr(thread, value);
}

/** The representation of a value. Iterative, because values may nest deeply. */
export function repr(thread: Thread, value: Value): string {
  if (!isContainer(value)) {
    const text = reprScalar(thread, value);
    if (text.length > 64) thread.allocate(text.length);
    return text;
  }
  const parts: string[] = [];
  const write = (part: string): void => {
    thread.allocate(part.length + 8);
    thread.charge(1);
    parts.push(part);
  };
  // Only a list or a dict can contain itself without passing through another list or dict.
  const open = new Set<Container>([value]);
  const levels: Level[] = [openLevel(value, write)];
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const { value: item, done } = level.items.next();
    if (done) {
      write(level.close);
      open.delete(level.container);
      levels.pop();
      continue;
    }
    if (level.count++ > 0) write(item.separator);
    if (!isContainer(item.value)) write(reprScalar(thread, item.value));
    else if (item.value instanceof List && open.has(item.value)) write("[...]");
    else if (item.value instanceof Dict && open.has(item.value)) write("{...}");
    else {
      open.add(item.value);
      levels.push(openLevel(item.value, write));
    }
  }
  return parts.join("");
}

type Container = List | Tuple | Dict | StarlarkSet;

interface Item {
  readonly value: Value;
  readonly separator: string;
}

interface Level {
  readonly container: Container;
  readonly items: Iterator<Item, undefined>;
  readonly close: string;
  count: number;
}

function isContainer(value: Value): value is Container {
  return value instanceof List || value instanceof Tuple || value instanceof Dict || value instanceof StarlarkSet;
}

function openLevel(container: Container, write: (part: string) => void): Level {
  const [start, close] = brackets(container);
  write(start);
  return { container, items: listItems(container), close, count: 0 };
}

function brackets(container: Container): [open: string, close: string] {
  if (container instanceof List) return ["[", "]"];
  if (container instanceof Dict) return ["{", "}"];
  if (container instanceof StarlarkSet) return ["set([", "])"];
  return ["(", container.elements.length === 1 ? ",)" : ")"];
}

function* listItems(container: Container): Generator<Item, undefined> {
  if (container instanceof List || container instanceof Tuple) {
    for (const value of container.elements) yield { value, separator: ", " };
    return undefined;
  }
  for (const { key, value } of container.table.entries.values()) {
    yield { value: key, separator: ", " };
    if (container instanceof Dict) yield { value, separator: ": " };
  }
  return undefined;
}

function reprScalar(thread: Thread, value: Exclude<Value, Container>): string {
  if (value === null) return "None";
  switch (typeof value) {
    case "boolean":
      return value ? "True" : "False";
    case "number":
      return String(value);
    case "bigint":
      chargeDecimal(thread, value);
      return String(value);
    case "string":
      thread.charge(value.length >> 6);
      return quote(value);
    default:
      return reprObject(value);
  }
}

function reprObject(value: Exclude<Value, Container | null | boolean | number | bigint | string>): string {
  if (value instanceof Float) return formatFloat(value.value);
  if (value instanceof Bytes) return `b${quote(value.data)}`;
  if (value instanceof Range) return reprRange(value);
  if (value instanceof StarlarkFunction) return `<function ${value.code.name}>`;
  if (value instanceof Builtin) {
    return value.isMethod
      ? `<built-in method ${value.name} of ${typeName(value.receiver)} value>`
      : `<built-in function ${value.name}>`;
  }
  if (value instanceof StringView) return `${quote(value.text)}.${value.kind}()`;
  if (value instanceof BytesView) return `b${quote(value.bytes.data)}.elems()`;
  return value.behaviour.repr?.() ?? `<${value.behaviour.type}>`;
}

function reprRange({ start, stop, step }: Range): string {
  if (step !== 1) return `range(${start}, ${stop}, ${step})`;
  return start === 0 ? `range(${stop})` : `range(${start}, ${stop})`;
}

/** Bytes as text, with U+FFFD for each byte that is not UTF-8. */
export function replaceInvalid(bytes: string): string {
  if (isAscii(bytes)) return bytes;
  const parts: string[] = [];
  for (let index = 0; index < bytes.length;) {
    const { codePoint, size, valid } = decodeAt(bytes, index);
    parts.push(valid ? bytes.slice(index, index + size) : encodeCodePoint(codePoint));
    index += size;
  }
  return parts.join("");
}
