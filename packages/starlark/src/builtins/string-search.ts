import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";
import { countCodePoints, decodeAt } from "../utf8.ts";
import type { BuiltinCall } from "../values/callable.ts";
import { findLastText, findText } from "../values/find-text.ts";
import { checkLength } from "../values/sequence.ts";
import { clampBounds } from "../values/slicing.ts";
import { Tuple } from "../values/tuple.ts";
import { typeName, type Value } from "../values/value.ts";
import { expectPositional, prefixed, stringAt } from "./arguments.ts";

export function find(call: BuiltinCall): Value {
  const { text, needle, start } = searched(call);
  const found = findText(call.thread, text, needle, 0);
  return found < 0 ? -1 : start + found;
}

export function rfind(call: BuiltinCall): Value {
  const { text, needle, start } = searched(call);
  const found = findLastText(call.thread, text, needle, text.length);
  return found < 0 ? -1 : start + found;
}

export function index(call: BuiltinCall): Value {
  return foundOrFail(call, find(call));
}

export function rindex(call: BuiltinCall): Value {
  return foundOrFail(call, rfind(call));
}

export function count(call: BuiltinCall): Value {
  const { text, needle } = searched(call);
  if (needle === "") return countCodePoints(text) + 1;
  let total = 0;
  for (let at = findText(call.thread, text, needle, 0); at >= 0; at = next(call.thread, text, needle, at)) total++;
  return total;
}

export function startswith(call: BuiltinCall): Value {
  const text = boundedText(call);
  return affixes(call).some((affix, position) => text.startsWith(checkAffix(call, affix, position)));
}

export function endswith(call: BuiltinCall): Value {
  const text = boundedText(call);
  return affixes(call).some((affix, position) => text.endsWith(checkAffix(call, affix, position)));
}

export function partition(call: BuiltinCall): Value {
  const { text, separator } = partitioned(call);
  const at = findText(call.thread, text, separator, 0);
  if (at < 0) return new Tuple([text, "", ""]);
  return new Tuple([text.slice(0, at), separator, text.slice(at + separator.length)]);
}

export function rpartition(call: BuiltinCall): Value {
  const { text, separator } = partitioned(call);
  const at = findLastText(call.thread, text, separator, text.length);
  if (at < 0) return new Tuple(["", "", text]);
  return new Tuple([text.slice(0, at), separator, text.slice(at + separator.length)]);
}

/** Replaces the first `limit` occurrences, or all of them when the limit is negative. */
export function replaceText(
  thread: Thread,
  text: string,
  options: { replaced: string; replacement: string; limit: number },
): string {
  const { replaced, replacement, limit } = options;
  const parts: string[] = [];
  let length = 0;
  const add = (part: string): void => {
    length += part.length;
    checkLength(length);
    thread.allocate(part.length + 8);
    parts.push(part);
  };
  const maxReplacements = limit < 0 ? Number.POSITIVE_INFINITY : limit;
  let from = 0;
  for (let done = 0; done < maxReplacements; done++) {
    const at = replaced === "" ? emptyMatch(text, from, done) : findText(thread, text, replaced, from);
    if (at < 0) break;
    add(text.slice(from, at));
    add(replacement);
    thread.charge(1);
    from = at + replaced.length;
  }
  add(text.slice(from));
  return parts.length === 1 ? text : parts.join("");
}

/** The empty string matches before every character and at the end. */
function emptyMatch(text: string, from: number, done: number): number {
  if (done === 0) return 0;
  return from >= text.length ? -1 : from + decodeAt(text, from).size;
}

function searched(call: BuiltinCall): { text: string; needle: string; start: number } {
  expectPositional(call, 1, 3);
  const needle = stringAt(call, 0);
  const whole = call.receiver as string;
  const [, from = null, to = null] = call.positional;
  const { start, end } = prefixed(call.name, () => clampBounds(from, to, whole.length));
  return { text: whole.slice(start, end), needle, start };
}

function foundOrFail(call: BuiltinCall, found: Value): Value {
  if (found === -1) throw new Failure(`${call.name}: substring not found`);
  return found;
}

function next(thread: Thread, text: string, needle: string, at: number): number {
  return findText(thread, text, needle, at + needle.length);
}

function boundedText(call: BuiltinCall): string {
  expectPositional(call, 1, 3);
  const whole = call.receiver as string;
  const [, from = null, to = null] = call.positional;
  const { start, end } = prefixed(call.name, () => clampBounds(from, to, whole.length));
  return whole.slice(start, end);
}

function affixes(call: BuiltinCall): readonly Value[] {
  const [affix = null] = call.positional;
  if (typeof affix === "string") return [affix];
  if (affix instanceof Tuple) return affix.elements;
  throw new Failure(`${call.name}: got ${typeName(affix)}, want string or tuple of string`);
}

function checkAffix(call: BuiltinCall, affix: Value, position: number): string {
  if (typeof affix === "string") return affix;
  throw new Failure(`${call.name}: want string, got ${typeName(affix)}, for element ${position}`);
}

function partitioned(call: BuiltinCall): { text: string; separator: string } {
  expectPositional(call, 1);
  const separator = stringAt(call, 0);
  if (separator === "") throw new Failure(`${call.name}: empty separator`);
  return { text: call.receiver as string, separator };
}
