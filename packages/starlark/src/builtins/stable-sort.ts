import { Failure } from "../runtime/failure.ts";

/**
 * Sorts in place and keeps the order of equal elements: insertion sort of short blocks, then merges. As in
 * starlark-go, a failed comparison counts as "not less", and the last failure is thrown after the sort.
 */
export function stableSort<Element>(
  elements: Element[],
  isLess: (left: Element, right: Element) => boolean,
): Element[] {
  let failure: Failure | undefined;
  const compare = (left: Element, right: Element): boolean => {
    try {
      return isLess(left, right);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "evaluation") throw error;
      failure = error;
      return false;
    }
  };
  for (let start = 0; start < elements.length; start += blockSize) {
    insertionSort(elements, { start, end: Math.min(start + blockSize, elements.length) }, compare);
  }
  let sorted = elements;
  for (let width = blockSize; width < elements.length; width *= 2) sorted = mergeBlocks(sorted, width, compare);
  if (failure) throw failure;
  return sorted;
}

type Compare<Element> = (left: Element, right: Element) => boolean;

const blockSize = 20;

function insertionSort<Element>(
  elements: Element[],
  { start, end }: { start: number; end: number },
  isLess: Compare<Element>,
): void {
  for (let index = start + 1; index < end; index++) {
    for (let place = index; place > start; place--) {
      const current = elements[place] as Element;
      const previous = elements[place - 1] as Element;
      if (!isLess(current, previous)) break;
      elements[place] = previous;
      elements[place - 1] = current;
    }
  }
}

function mergeBlocks<Element>(elements: readonly Element[], width: number, isLess: Compare<Element>): Element[] {
  const merged: Element[] = [];
  for (let start = 0; start < elements.length; start += 2 * width) {
    const middle = Math.min(start + width, elements.length);
    const end = Math.min(start + 2 * width, elements.length);
    let left = start;
    let right = middle;
    while (left < middle && right < end) {
      const takesRight = isLess(elements[right] as Element, elements[left] as Element);
      merged.push(elements[takesRight ? right++ : left++] as Element);
    }
    while (left < middle) merged.push(elements[left++] as Element);
    while (right < end) merged.push(elements[right++] as Element);
  }
  return merged;
}
