import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";
import { Bytes } from "./bytes.ts";
import { fitsIndex, type Int } from "./int.ts";
import { elementBytes } from "./memory.ts";
import { List } from "./list.ts";
import { Tuple } from "./tuple.ts";

export type Repeatable = string | Bytes | List | Tuple;

/** `sequence * count`. */
export function repeat(thread: Thread, sequence: Repeatable, count: Int): Repeatable {
  if (isEmpty(sequence)) return sequence instanceof List ? new List([]) : sequence;
  if (!fitsIndex(count)) throw new Failure(`repeat count ${count} too large`);
  const times = Math.max(0, count);
  if (typeof sequence === "string") return repeatText(thread, sequence, times);
  if (sequence instanceof Bytes) return new Bytes(repeatText(thread, sequence.data, times));
  const elements = repeatElements(thread, sequence.elements, times);
  return sequence instanceof List ? new List(elements) : new Tuple(elements);
}

export function concatenateText(thread: Thread, left: string, right: string): string {
  const length = left.length + right.length;
  checkLength(length);
  // Small strings are too short-lived to be worth counting.
  if (length > 64) thread.allocate(length);
  return left + right;
}

export function concatenateElements<Element>(
  thread: Thread,
  left: readonly Element[],
  right: readonly Element[],
): Element[] {
  const length = left.length + right.length;
  thread.allocate(length * elementBytes);
  thread.charge(length);
  return [...left, ...right];
}

/** Maximum length of a JavaScript string. */
export function checkLength(length: number): void {
  if (length > maxTextLength) throw new Failure(`string too long (${length} bytes)`, "limit");
}

const maxTextLength = 0x1fffffe8;

function isEmpty(sequence: Repeatable): boolean {
  if (typeof sequence === "string") return sequence === "";
  return sequence instanceof Bytes ? sequence.data === "" : sequence.elements.length === 0;
}

function repeatText(thread: Thread, text: string, times: number): string {
  checkRepeat(text.length, times);
  const length = text.length * times;
  checkLength(length);
  thread.allocate(length);
  thread.charge(length >> 6);
  return text.repeat(times);
}

function repeatElements<Element>(thread: Thread, elements: readonly Element[], times: number): Element[] {
  checkRepeat(elements.length, times);
  const length = elements.length * times;
  thread.allocate(length * elementBytes);
  thread.charge(length);
  const result: Element[] = [];
  for (let round = 0; round < times; round++) for (const element of elements) result.push(element);
  return result;
}

function checkRepeat(length: number, times: number): void {
  if (length * times > 1 << 30) throw new Failure(`excessive repeat (${length} * ${times} elements)`);
}
