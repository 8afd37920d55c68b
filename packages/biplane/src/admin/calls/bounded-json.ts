/**
 * JSON of about `maxLength` characters at most. Cut parts say how much is missing; values without JSON become "…". Cuts
 * are copied, so that the long original can be freed.
 */
export function boundedJson(value: unknown, maxLength: number): string {
  try {
    if (remainingAfter(value, maxLength, 0) >= 0) {
      const whole = JSON.stringify(value) ?? "null";
      if (whole.length <= maxLength) return whole;
    }
    return JSON.stringify(shortened(value, { left: maxLength / 2 }, 0)) ?? "null";
  } catch {
    return '"…"';
  }
}

/** A text of at most `maxLength` characters, plus a note of how many were cut. */
export function boundedText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // Copy through bytes: a slice would keep the whole text in memory.
  const start = Buffer.from(text.slice(0, maxLength)).toString();
  return `${start}… (${text.length - maxLength} more characters)`;
}

/** How much of `budget` is left after writing the value's JSON; negative if it does not fit. */
function remainingAfter(value: unknown, budget: number, depth: number): number {
  if (typeof value === "string") return budget - value.length - 2;
  if (typeof value !== "object" || value === null) return budget - 6;
  if (depth > maxDepth) return -1;
  let left = budget - 2;
  if (Array.isArray(value)) {
    for (const item of value) if ((left = remainingAfter(item, left - 1, depth + 1)) < 0) return left;
    return left;
  }
  for (const key of Object.keys(value)) {
    left = remainingAfter((value as Record<string, unknown>)[key], left - key.length - 4, depth + 1);
    if (left < 0) return left;
  }
  return left;
}

const maxDepth = 64;

function shortened(value: unknown, budget: { left: number }, depth: number): unknown {
  if (typeof value === "string") {
    const maxLength = Math.max(minCharacters, Math.floor(budget.left));
    budget.left -= Math.min(value.length, maxLength) + 2;
    return boundedText(value, maxLength);
  }
  if (typeof value !== "object" || value === null) {
    budget.left -= 6;
    return value;
  }
  if (depth > maxDepth) return "…";
  return Array.isArray(value) ? shortenedList(value, budget, depth) : shortenedObject(value, budget, depth);
}

const minCharacters = 40;

function shortenedList(list: readonly unknown[], budget: { left: number }, depth: number): unknown[] {
  const made: unknown[] = [];
  for (const item of list) {
    if (budget.left <= 0) return [...made, `… (${list.length - made.length} more)`];
    budget.left -= 1;
    made.push(shortened(item, budget, depth + 1));
  }
  return made;
}

function shortenedObject(object: object, budget: { left: number }, depth: number): Record<string, unknown> {
  if ("toJSON" in object)
    return shortened(JSON.parse(JSON.stringify(object)), budget, depth + 1) as Record<string, unknown>;
  const made: [string, unknown][] = [];
  const keys = Object.keys(object);
  for (const key of keys) {
    if (budget.left <= 0) {
      made.push(["…", `${keys.length - made.length} more`]);
      break;
    }
    budget.left -= Math.min(key.length, maxKeyLength) + 4;
    const short = key.length > maxKeyLength ? `${key.slice(0, maxKeyLength)}…` : key;
    made.push([short, shortened((object as Record<string, unknown>)[key], budget, depth + 1)]);
  }
  return Object.fromEntries(made);
}

const maxKeyLength = 200;
