import { Failure } from "../runtime/failure.ts";
import type { BuiltinCall } from "../values/callable.ts";
import { checkLength } from "../values/sequence.ts";
import { repr } from "../values/repr.ts";
import type { Value } from "../values/value.ts";

/** `format.format(*args, **kwargs)`. */
export function formatBraces(call: BuiltinCall): Value {
  const format = call.receiver as string;
  const parts: string[] = [];
  const numbering: Numbering = { next: 0, isAutomatic: false, isManual: false };
  const named = new Map(call.named);
  let length = 0;
  let from = 0;
  while (from < format.length) {
    const literal = literalText(format, from);
    parts.push(literal.text);
    from = literal.end;
    if (from < format.length) {
      const close = format.indexOf("}", from);
      if (close < 0) throw new Failure("format: unmatched '{' in format");
      const part = formatField(call, format.slice(from + 1, close), { numbering, named });
      call.thread.charge(1);
      length += part.length;
      checkLength(length + format.length);
      parts.push(part);
      from = close + 1;
    }
  }
  call.thread.allocate(length + format.length);
  return parts.join("");
}

/** The text up to the next replacement field, with doubled braces made single. */
function literalText(format: string, from: number): { text: string; end: number } {
  const parts: string[] = [];
  let start = from;
  for (;;) {
    const at = nextBrace(format, start);
    parts.push(format.slice(start, at));
    const brace = format[at];
    if (brace === undefined || (brace === "{" && format[at + 1] !== "{")) return { text: parts.join(""), end: at };
    if (format[at + 1] !== brace) throw new Failure("format: single '}' in format");
    parts.push(brace);
    start = at + 2;
  }
}

const brace = /[{}]/g;

function nextBrace(format: string, from: number): number {
  brace.lastIndex = from;
  return brace.exec(format)?.index ?? format.length;
}

interface Numbering {
  next: number;
  isAutomatic: boolean;
  isManual: boolean;
}

interface Lookup {
  readonly numbering: Numbering;
  readonly named: ReadonlyMap<string, Value>;
}

/** One replacement field: a name or number, an optional `!r` or `!s`, and an empty format specification. */
function formatField(call: BuiltinCall, field: string, lookup: Lookup): string {
  if (field.includes("{")) throw new Failure("format: nested replacement fields not supported");
  const colon = field.indexOf(":");
  const specification = colon < 0 ? "" : field.slice(colon + 1);
  const beforeColon = colon < 0 ? field : field.slice(0, colon);
  const mark = beforeColon.indexOf("!");
  const name = mark < 0 ? beforeColon : beforeColon.slice(0, mark);
  const conversion = mark < 0 ? "s" : beforeColon.slice(mark + 1);
  const value = findArgument(call, name, lookup);
  if (specification !== "") {
    throw new Failure(`format spec features not supported in replacement fields: ${specification}`);
  }
  if (conversion === "r") return repr(call.thread, value);
  if (conversion !== "s") throw new Failure(`format: unknown conversion "${conversion}"`);
  return typeof value === "string" ? value : repr(call.thread, value);
}

function findArgument(call: BuiltinCall, name: string, { numbering, named }: Lookup): Value {
  if (name === "" || isFieldNumber(name)) return positionalArgument(call, name, numbering);
  const value = named.get(name);
  if (value !== undefined) return value;
  if (name.includes(".")) {
    throw new Failure(`format: attribute syntax x.y is not supported in replacement fields: ${name}`);
  }
  if (name.includes("[")) {
    throw new Failure(`format: element syntax a[i] is not supported in replacement fields: ${name}`);
  }
  throw new Failure(`format: keyword ${name} not found`);
}

function isFieldNumber(name: string): boolean {
  return /^\d+$/.test(name) && Number(name) <= Number.MAX_SAFE_INTEGER;
}

function positionalArgument(call: BuiltinCall, name: string, numbering: Numbering): Value {
  let index = Number(name);
  if (name === "") {
    if (numbering.isManual) {
      throw new Failure("format: cannot switch from manual field specification to automatic field numbering");
    }
    numbering.isAutomatic = true;
    index = numbering.next++;
  } else {
    if (numbering.isAutomatic) {
      throw new Failure("format: cannot switch from automatic field numbering to manual field specification");
    }
    numbering.isManual = true;
  }
  const value = call.positional[index];
  if (value === undefined) throw new Failure("format: tuple index out of range");
  return value;
}
