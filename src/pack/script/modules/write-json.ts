export interface WriteOptions {
  /** How long the text may become. A value may hold one part many times over, so it is counted while it is written. */
  readonly maxLength: number;
  /**
   * For results: whole numbers beyond what JSON readers keep exactly are strings, keys of any kind are written as text,
   * and what JSON has no word for is shown. Otherwise such a value is an error.
   */
  readonly isForShow?: boolean;
}

/** A host value as JSON. Ints are written to the last digit. */
export function writeJson(value: unknown, options: WriteOptions): string {
  const { maxLength, isForShow = false } = options;
  const parts: string[] = [];
  let length = 0;
  const write = (text: string): void => {
    length += text.length;
    if (length > maxLength) throw new Error(`the value is larger than ${maxLength} bytes as JSON`);
    parts.push(text);
  };
  const list = (items: Iterable<unknown>): void => {
    write("[");
    let isFirst = true;
    for (const item of items) {
      if (!isFirst) write(",");
      isFirst = false;
      convert(item);
    }
    write("]");
  };
  const object = (entries: Iterable<readonly [unknown, unknown]>): void => {
    write("{");
    let isFirst = true;
    for (const [key, item] of entries) {
      write(`${isFirst ? "" : ","}${JSON.stringify(keyText(key, isForShow))}:`);
      isFirst = false;
      convert(item);
    }
    write("}");
  };
  const convert = (item: unknown): void => {
    if (item === null || item === undefined) return write("null");
    if (typeof item === "bigint") return write(isForShow ? `"${item}"` : item.toString());
    if (typeof item === "number" && !Number.isFinite(item))
      return write(JSON.stringify(inexpressible(item, isForShow)));
    if (typeof item === "number" || typeof item === "string" || typeof item === "boolean")
      return write(JSON.stringify(item));
    if (Array.isArray(item) || item instanceof Set) return list(item);
    if (item instanceof Map) return object(item);
    if (item instanceof Uint8Array || typeof item === "function")
      return write(JSON.stringify(inexpressible(item, isForShow)));
    return object(Object.entries(item));
  };
  convert(value);
  return parts.join("");
}

function keyText(key: unknown, isForShow: boolean): string {
  if (typeof key === "string") return key;
  if (!isForShow) throw new Error(`a key must be a string, not ${typeof key}`);
  return typeof key === "bigint" ? String(key) : writeJson(key, { maxLength: longestKey, isForShow });
}

const longestKey = 10_000;

function inexpressible(item: unknown, isForShow: boolean): string {
  const what = typeof item === "number" ? `the float ${item}` : typeof item === "function" ? "a function" : "bytes";
  if (!isForShow) throw new Error(`JSON has no word for ${what}`);
  if (item instanceof Uint8Array) return Buffer.from(item).toString("latin1");
  return typeof item === "function" ? `<function ${item.name}>` : String(item);
}
