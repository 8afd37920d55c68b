/** A copy of a message from another window, or why it was rejected. */
export type JsonCopy = { readonly copy: unknown } | { readonly why: string };

/**
 * Copies a message as plain JSON within the limits. `postMessage` also carries maps, buffers and cycles, which are
 * rejected. The work is bounded by the limits, not by the message.
 */
export function jsonCopy(value: unknown, limits: { characters: number; depth: number }): JsonCopy {
  let size = 0;
  const spend = (characters: number) => {
    size += characters;
    if (size > limits.characters) throw new Rejection(`it is longer than ${limits.characters} characters`);
  };
  const copyOf = (each: unknown, depth: number): unknown => {
    if (depth > limits.depth) throw new Rejection("it nests too deep");
    spend(2);
    switch (typeof each) {
      case "string":
        spend(each.length);
        return each;
      case "boolean":
        return each;
      case "number":
        return Number.isFinite(each) ? each : null;
      case "undefined":
        return null;
      case "object":
        break;
      default:
        throw new Rejection(`it contains a ${typeof each}`);
    }
    if (each === null) return null;
    if (Array.isArray(each)) {
      spend(each.length * 2);
      return Array.from(each, (entry: unknown) => copyOf(entry, depth + 1));
    }
    if (Object.getPrototypeOf(each) !== Object.prototype) throw new Rejection(`it contains a ${classOf(each)}`);
    const entries: [string, unknown][] = [];
    for (const [key, entry] of Object.entries(each)) {
      if (entry === undefined) continue;
      spend(key.length);
      entries.push([key, copyOf(entry, depth + 1)]);
    }
    return Object.fromEntries(entries);
  };
  try {
    return { copy: copyOf(value, 0) };
  } catch (error) {
    if (error instanceof Rejection) return { why: error.message };
    throw error;
  }
}

class Rejection extends Error {}

function classOf(thing: object): string {
  return Object.prototype.toString.call(thing).slice(8, -1);
}
