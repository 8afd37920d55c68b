/** A copy of what another window posted, or why it is not taken. */
export type JsonCopy = { readonly copy: unknown } | { readonly why: string };

/**
 * Messages are JSON, but `postMessage` carries far more: maps, buffers, circles. The copy holds nothing but JSON, is at
 * most so many characters and nests at most so deep, and finding that out costs no more than that.
 */
export function jsonCopy(value: unknown, limits: { characters: number; depth: number }): JsonCopy {
  let size = 0;
  const spend = (characters: number) => {
    size += characters;
    if (size > limits.characters) throw new Refusal(`it is longer than ${limits.characters} characters`);
  };
  const copyOf = (each: unknown, depth: number): unknown => {
    if (depth > limits.depth) throw new Refusal("it nests too deep");
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
        throw new Refusal(`there is a ${typeof each} in it`);
    }
    if (each === null) return null;
    if (Array.isArray(each)) {
      spend(each.length * 2);
      return Array.from(each, (entry: unknown) => copyOf(entry, depth + 1));
    }
    if (Object.getPrototypeOf(each) !== Object.prototype) throw new Refusal(`there is a ${kindOf(each)} in it`);
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
    if (error instanceof Refusal) return { why: error.message };
    throw error;
  }
}

class Refusal extends Error {}

function kindOf(thing: object): string {
  return Object.prototype.toString.call(thing).slice(8, -1);
}
