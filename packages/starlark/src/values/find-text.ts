import type { Thread } from "../runtime/thread.ts";

/** The first occurrence of a needle at or after an offset, or -1. Always takes linear time. */
export function findText(thread: Thread, text: string, needle: string, from: number): number {
  thread.charge((text.length - from) >> 6);
  // The native search is fastest, but a malicious long needle makes it quadratic.
  if (needle.length < longNeedle || text.length - from < longText) return text.indexOf(needle, from);
  thread.charge((text.length - from + needle.length) >> 3);
  return findLinearly(text, needle, from);
}

/** The last occurrence of a needle that ends at or before `end`, or -1. */
export function findLastText(thread: Thread, text: string, needle: string, end: number): number {
  thread.charge(text.length >> 6);
  if (end < needle.length) return -1;
  if (needle.length < longNeedle || text.length < longText) return text.lastIndexOf(needle, end - needle.length);
  thread.charge((end + needle.length) >> 3);
  const found = findLinearly(reverse(text.slice(0, end)), reverse(needle), 0);
  return found < 0 ? -1 : end - found - needle.length;
}

const longNeedle = 300;
const longText = 100_000;

/** Knuth, Morris and Pratt: `fallback[i]` is the length of the longest proper border of the first i + 1 characters. */
function findLinearly(text: string, needle: string, from: number): number {
  const fallback = new Uint32Array(needle.length);
  let matched = 0;
  for (let index = 1; index < needle.length; index++) {
    const code = needle.charCodeAt(index);
    while (matched > 0 && needle.charCodeAt(matched) !== code) matched = fallback[matched - 1] ?? 0;
    if (needle.charCodeAt(matched) === code) matched++;
    fallback[index] = matched;
  }
  matched = 0;
  for (let index = from; index < text.length; index++) {
    const code = text.charCodeAt(index);
    while (matched > 0 && needle.charCodeAt(matched) !== code) matched = fallback[matched - 1] ?? 0;
    if (needle.charCodeAt(matched) === code) matched++;
    if (matched === needle.length) return index - needle.length + 1;
  }
  return -1;
}

function reverse(text: string): string {
  const bytes = Buffer.from(text, "latin1").reverse();
  return bytes.toString("latin1");
}
