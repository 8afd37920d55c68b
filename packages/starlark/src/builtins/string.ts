import { Failure } from "../runtime/failure.ts";
import { isAscii } from "../utf8.ts";
import type { BuiltinCall } from "../values/callable.ts";
import { iterate } from "../values/iterate.ts";
import { checkLength } from "../values/sequence.ts";
import { StringView, type StringViewKind } from "../values/string-view.ts";
import { typeName } from "../values/value.ts";
import { intAt, iterableAt, stringAt, takes, type BuiltinTable } from "./arguments.ts";
import { formatBraces } from "./format-braces.ts";
import * as cases from "./string-case.ts";
import { replaceText, searchMethods } from "./string-search.ts";
import { splitMethods } from "./string-split.ts";
import { stripLeft, stripRight } from "./string-strip.ts";

export const stringMethods: BuiltinTable = {
  capitalize: transform(cases.capitalize),
  codepoint_ords: view("codepoint_ords"),
  codepoints: view("codepoints"),
  elem_ords: view("elem_ords"),
  elems: view("elems"),
  format: formatBraces,
  isalnum: test(cases.everyCharacter(/[\p{L}\p{Nd}]/u)),
  isalpha: test(cases.everyCharacter(/\p{L}/u)),
  isdigit: test(cases.everyCharacter(/\p{Nd}/u)),
  islower: test(cases.isLower),
  isspace: test(cases.everyCharacter(cases.space)),
  istitle: test(cases.isTitle),
  isupper: test(cases.isUpper),
  join: takes(1, 1, (call) => {
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
  }),
  lower: transform(cases.lower),
  lstrip: strip(stripLeft),
  removeprefix: takes(1, 1, (call) => {
    const [text, prefix] = [textOf(call), stringAt(call, 0)];
    return text.startsWith(prefix) ? text.slice(prefix.length) : text;
  }),
  removesuffix: takes(1, 1, (call) => {
    const [text, suffix] = [textOf(call), stringAt(call, 0)];
    return text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text;
  }),
  replace: takes(2, 3, (call) => {
    const [replaced, replacement, limit] = [stringAt(call, 0), stringAt(call, 1), intAt(call, 2, -1)];
    return replaceText(call.thread, textOf(call), { replaced, replacement, limit });
  }),
  rstrip: strip(stripRight),
  strip: strip((text, cutset) => stripRight(stripLeft(text, cutset), cutset)),
  title: transform(cases.title),
  upper: transform(cases.upper),
  ...searchMethods,
  ...splitMethods,
};

function view(kind: StringViewKind): BuiltinTable[string] {
  return takes(0, 0, (call) => new StringView(textOf(call), kind));
}

function transform(change: (text: string) => string): BuiltinTable[string] {
  return takes(0, 0, (call) => {
    const text = textOf(call);
    if (text.length > 64) {
      // Non-ASCII text is processed by code points.
      call.thread.allocate(isAscii(text) ? text.length : text.length * 16);
      call.thread.charge(text.length >> 3);
    }
    return change(text);
  });
}

function test(holds: (text: string) => boolean): BuiltinTable[string] {
  return takes(0, 0, (call) => {
    const text = textOf(call);
    if (text.length > 64) call.thread.allocate(text.length * 8);
    call.thread.charge(text.length >> 3);
    return holds(text);
  });
}

function strip(cut: (text: string, cutset: string | undefined) => string): BuiltinTable[string] {
  return takes(0, 1, (call) => {
    const cutset = call.positional.length === 0 ? "" : stringAt(call, 0);
    call.thread.charge((textOf(call).length + cutset.length) >> 3);
    if (cutset.length > 64) call.thread.allocate(cutset.length * 16);
    return cut(textOf(call), cutset === "" ? undefined : cutset);
  });
}

function textOf(call: BuiltinCall): string {
  return call.receiver as string;
}
