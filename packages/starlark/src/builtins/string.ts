import { Failure } from "../runtime/failure.ts";
import { isAscii } from "../utf8.ts";
import type { BuiltinCall } from "../values/callable.ts";
import { iterate } from "../values/iterate.ts";
import { checkLength } from "../values/sequence.ts";
import { StringView, type StringViewKind } from "../values/string-view.ts";
import { typeName, type Value } from "../values/value.ts";
import { expectPositional, intAt, iterableAt, stringAt } from "./arguments.ts";
import { formatBraces } from "./format-braces.ts";
import type { Method } from "./methods.ts";
import * as cases from "./string-case.ts";
import * as search from "./string-search.ts";
import { rsplit, split, splitlines } from "./string-split.ts";
import { stripLeft, stripRight } from "./string-strip.ts";

export const stringMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["capitalize", transform(cases.capitalize)],
  ["codepoint_ords", view("codepoint_ords")],
  ["codepoints", view("codepoints")],
  ["count", search.count],
  ["elem_ords", view("elem_ords")],
  ["elems", view("elems")],
  ["endswith", search.endswith],
  ["find", search.find],
  ["format", formatBraces],
  ["index", search.index],
  ["isalnum", test(cases.isAlphanumeric)],
  ["isalpha", test(cases.isAlphabetic)],
  ["isdigit", test(cases.isDigits)],
  ["islower", test(cases.isLower)],
  ["isspace", test(cases.isSpace)],
  ["istitle", test(cases.isTitle)],
  ["isupper", test(cases.isUpper)],
  ["join", join],
  ["lower", transform(cases.lower)],
  ["lstrip", strip(stripLeft)],
  ["partition", search.partition],
  ["removeprefix", removeprefix],
  ["removesuffix", removesuffix],
  ["replace", replace],
  ["rfind", search.rfind],
  ["rindex", search.rindex],
  ["rpartition", search.rpartition],
  ["rsplit", rsplit],
  ["rstrip", strip(stripRight)],
  ["split", split],
  ["splitlines", splitlines],
  ["startswith", search.startswith],
  ["strip", strip((text, cutset) => stripRight(stripLeft(text, cutset), cutset))],
  ["title", transform(cases.title)],
  ["upper", transform(cases.upper)],
]);

function view(kind: StringViewKind): Method {
  return (call) => {
    expectPositional(call, 0);
    return new StringView(textOf(call), kind);
  };
}

function transform(change: (text: string) => string): Method {
  return (call) => {
    expectPositional(call, 0);
    const text = textOf(call);
    if (text.length > 64) {
      // Non-ASCII text is processed by code points.
      call.thread.allocate(isAscii(text) ? text.length : text.length * 16);
      call.thread.charge(text.length >> 3);
    }
    return change(text);
  };
}

function test(holds: (text: string) => boolean): Method {
  return (call) => {
    expectPositional(call, 0);
    const text = textOf(call);
    if (text.length > 64) call.thread.allocate(text.length * 8);
    call.thread.charge(text.length >> 3);
    return holds(text);
  };
}

function strip(cut: (text: string, cutset: string | undefined) => string): Method {
  return (call) => {
    expectPositional(call, 0, 1);
    const cutset = call.positional.length === 0 ? "" : stringAt(call, 0);
    call.thread.charge((textOf(call).length + cutset.length) >> 3);
    if (cutset.length > 64) call.thread.allocate(cutset.length * 16);
    return cut(textOf(call), cutset === "" ? undefined : cutset);
  };
}

function join(call: BuiltinCall): Value {
  expectPositional(call, 1);
  const separator = textOf(call);
  const parts: string[] = [];
  let length = 0;
  iterate(iterableAt(call, 0), (part) => {
    if (typeof part !== "string") throw new Failure(`join: in list, want string, got ${typeName(part)}`);
    length += part.length + separator.length;
    call.thread.charge(1 + (part.length >> 6));
    checkLength(length);
    parts.push(part);
  });
  call.thread.allocate(length + parts.length * 8);
  return parts.join(separator);
}

function removeprefix(call: BuiltinCall): Value {
  expectPositional(call, 1);
  const prefix = stringAt(call, 0);
  const text = textOf(call);
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

function removesuffix(call: BuiltinCall): Value {
  expectPositional(call, 1);
  const suffix = stringAt(call, 0);
  const text = textOf(call);
  return text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text;
}

function replace(call: BuiltinCall): Value {
  expectPositional(call, 2, 3);
  const replaced = stringAt(call, 0);
  const replacement = stringAt(call, 1);
  const limit = intAt(call, 2, -1);
  return search.replaceText(call.thread, textOf(call), { replaced, replacement, limit });
}

function textOf(call: BuiltinCall): string {
  return call.receiver as string;
}
