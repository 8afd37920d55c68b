import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";
import { decodeAt } from "../utf8.ts";
import type { BuiltinCall } from "../values/callable.ts";
import { findLastText, findText } from "../values/find-text.ts";
import { elementBytes } from "../values/memory.ts";
import { List } from "../values/list.ts";
import { typeName } from "../values/value.ts";
import { intAt, refuse, takes, type BuiltinTable } from "./arguments.ts";
import { space } from "./string-case.ts";
import { stripLeft, stripRight } from "./string-strip.ts";

export const splitMethods: BuiltinTable = {
  rsplit: takes(0, 2, (call) => {
    const { thread } = call;
    const { text, separator, limit } = splitArguments(call);
    if (limit < 0) return listOf(thread, splitForwards(thread, text, separator, limit));
    return listOf(
      thread,
      separator === undefined
        ? splitSpaceBackwards(thread, text, limit)
        : splitBackwards(thread, text, separator, limit),
    );
  }),
  split: takes(0, 2, (call) => {
    const { text, separator, limit } = splitArguments(call);
    return listOf(call.thread, splitForwards(call.thread, text, separator, limit));
  }),
  /** Only a newline ends a line, and a final newline does not start another line. */
  splitlines: takes(0, 1, (call) => {
    const [keepEnds = false] = call.positional;
    if (typeof keepEnds !== "boolean") return refuse(call, 0, "bool");
    const text = call.receiver as string;
    call.thread.charge(text.length >> 6);
    const lines = splitBy(call.thread, text, "\n", -1);
    const last = lines.pop() ?? "";
    const ended = keepEnds ? lines.map((line) => `${line}\n`) : lines;
    if (last !== "") ended.push(last);
    return listOf(call.thread, ended);
  }),
};

function splitArguments(call: BuiltinCall): { text: string; separator: string | undefined; limit: number } {
  const [given = null] = call.positional;
  const limit = intAt(call, 1, -1);
  if (given !== null && typeof given !== "string") {
    throw new Failure(`split: got ${typeName(given)} for separator, want string`);
  }
  if (given === "") throw new Failure("split: empty separator");
  const text = call.receiver as string;
  call.thread.charge(text.length >> 4);
  return { text, separator: given ?? undefined, limit };
}

/** The memory of the parts has already been counted, part by part. */
function listOf(thread: Thread, parts: string[]): List {
  thread.charge(parts.length);
  return new List(parts);
}

function splitForwards(thread: Thread, text: string, separator: string | undefined, limit: number): string[] {
  return separator === undefined ? splitSpace(thread, text, limit) : splitBy(thread, text, separator, limit);
}

function splitBy(thread: Thread, text: string, separator: string, limit: number): string[] {
  const parts: string[] = [];
  const maxSplits = limit < 0 ? Number.POSITIVE_INFINITY : limit;
  let from = 0;
  while (parts.length < maxSplits) {
    const at = findText(thread, text, separator, from);
    if (at < 0) break;
    thread.allocate(elementBytes);
    parts.push(text.slice(from, at));
    from = at + separator.length;
  }
  parts.push(text.slice(from));
  return parts;
}

function splitBackwards(thread: Thread, text: string, separator: string, limit: number): string[] {
  const parts: string[] = [];
  let end = text.length;
  while (parts.length < limit) {
    const at = findLastText(thread, text, separator, end);
    if (at < 0) break;
    thread.allocate(elementBytes);
    parts.push(text.slice(at + separator.length, end));
    end = at;
  }
  parts.push(text.slice(0, end));
  return parts.toReversed();
}

/** Splits at runs of white space. The rest after the last split keeps its trailing white space. */
function splitSpace(thread: Thread, text: string, limit: number): string[] {
  const parts: string[] = [];
  let rest = stripLeft(text, undefined);
  while (rest !== "") {
    thread.allocate(elementBytes);
    if (limit >= 0 && parts.length >= limit) {
      parts.push(rest);
      break;
    }
    const end = findSpace(rest, 0);
    parts.push(rest.slice(0, end));
    rest = stripLeft(rest.slice(end), undefined);
  }
  return parts;
}

function splitSpaceBackwards(thread: Thread, text: string, limit: number): string[] {
  const fields: { start: number; end: number }[] = [];
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, findSpace(text, at))) {
    thread.allocate(2 * elementBytes);
    fields.push({ start: at, end: findSpace(text, at) });
  }
  const kept = limit === 0 ? [] : fields.slice(-limit);
  const parts = kept.map(({ start, end }) => text.slice(start, end));
  const rest = stripRight(text.slice(0, kept[0]?.start), undefined);
  return rest === "" ? parts : [rest, ...parts];
}

function skipSpace(text: string, from: number): number {
  return text.length - stripLeft(text.slice(from), undefined).length;
}

function findSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const { codePoint, size, valid } = decodeAt(text, at);
    if (valid && space.test(String.fromCodePoint(codePoint))) return at;
    at += size;
  }
  return at;
}
