import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";
import { countCodePoints, decodeAt } from "../utf8.ts";
import type { BuiltinCall } from "../values/callable.ts";
import { findLastText, findText } from "../values/find-text.ts";
import { checkLength } from "../values/sequence.ts";
import { clampBounds } from "../values/slicing.ts";
import { Tuple } from "../values/tuple.ts";
import { typeName } from "../values/value.ts";
import { prefixed, stringAt, takes, type BuiltinTable } from "./arguments.ts";

export const searchMethods: BuiltinTable = {
  count: takes(1, 3, (call) => {
    const { text, needle } = searched(call);
    if (needle === "") return countCodePoints(text) + 1;
    const next = (from: number) => findText(call.thread, text, needle, from);
    let total = 0;
    for (let at = next(0); at >= 0; at = next(at + needle.length)) total++;
    return total;
  }),
  endswith: withAffixes((text, affix) => text.endsWith(affix)),
  find: takes(1, 3, find),
  index: takes(1, 3, (call) => foundOrFail(call, find(call))),
  partition: partitioned((call, text, separator) => {
    const at = findText(call.thread, text, separator, 0);
    return at < 0 ? [text, "", ""] : [text.slice(0, at), separator, text.slice(at + separator.length)];
  }),
  rfind: takes(1, 3, rfind),
  rindex: takes(1, 3, (call) => foundOrFail(call, rfind(call))),
  rpartition: partitioned((call, text, separator) => {
    const at = findLastText(call.thread, text, separator, text.length);
    return at < 0 ? ["", "", text] : [text.slice(0, at), separator, text.slice(at + separator.length)];
  }),
  startswith: withAffixes((text, affix) => text.startsWith(affix)),
};

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

function find(call: BuiltinCall): number {
  const { text, needle, start } = searched(call);
  const found = findText(call.thread, text, needle, 0);
  return found < 0 ? -1 : start + found;
}

function rfind(call: BuiltinCall): number {
  const { text, needle, start } = searched(call);
  const found = findLastText(call.thread, text, needle, text.length);
  return found < 0 ? -1 : start + found;
}

function foundOrFail(call: BuiltinCall, found: number): number {
  if (found === -1) throw new Failure(`${call.name}: substring not found`);
  return found;
}

function searched(call: BuiltinCall): { text: string; needle: string; start: number } {
  const needle = stringAt(call, 0);
  return { ...boundedText(call), needle };
}

/** The part of the receiver between the optional second and third argument. */
function boundedText(call: BuiltinCall): { text: string; start: number } {
  const whole = call.receiver as string;
  const [, from = null, to = null] = call.positional;
  const { start, end } = prefixed(call.name, () => clampBounds(from, to, whole.length));
  return { text: whole.slice(start, end), start };
}

/** A method that takes an affix, or a tuple of them. */
function withAffixes(holds: (text: string, affix: string) => boolean): BuiltinTable[string] {
  return takes(1, 3, (call) => {
    const { text } = boundedText(call);
    const [given = null] = call.positional;
    if (typeof given === "string") return holds(text, given);
    if (!(given instanceof Tuple))
      throw new Failure(`${call.name}: got ${typeName(given)}, want string or tuple of string`);
    return given.elements.some((affix, position) => {
      if (typeof affix === "string") return holds(text, affix);
      throw new Failure(`${call.name}: want string, got ${typeName(affix)}, for element ${position}`);
    });
  });
}

function partitioned(part: (call: BuiltinCall, text: string, separator: string) => string[]): BuiltinTable[string] {
  return takes(1, 1, (call) => {
    const separator = stringAt(call, 0);
    if (separator === "") throw new Failure(`${call.name}: empty separator`);
    return new Tuple(part(call, call.receiver as string, separator));
  });
}
