/**
 * JSON with sorted keys, cut after `maxBytes`; the work is bounded too. Values without JSON become text. Values that
 * are too deep or cannot be read become "…".
 */
export function sortedJson(value: unknown, maxBytes: number): { text: string; isCut: boolean } {
  const json = { text: "", limit: maxBytes };
  try {
    write(value, json, 0);
  } catch {
    return { text: '"…"', isCut: false };
  }
  const text = cutToBytes(json.text, maxBytes);
  return { text, isCut: text.length < json.text.length };
}

/** The longest prefix that fits into `maxBytes` of UTF-8, without splitting a character. */
export function cutToBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}

const encoder = new TextEncoder();

interface Json {
  text: string;
  readonly limit: number;
}

function write(value: unknown, json: Json, depth: number): void {
  if (typeof value === "string") json.text += quote(value, json);
  else if (value === null || value === undefined) json.text += "null";
  else if (typeof value === "boolean" || Number.isFinite(value)) json.text += JSON.stringify(value);
  else if (typeof value !== "object") json.text += quote(textOf(value), json);
  else if (depth > 100) json.text += '"…"';
  else if (Array.isArray(value)) writeArray(value, json, depth);
  else if (value instanceof Date) json.text += quote(JSON.stringify(value).replaceAll('"', ""), json);
  else if (ArrayBuffer.isView(value)) json.text += `"<${value.byteLength} bytes>"`;
  else writeObject(value as Record<string, unknown>, json, depth);
}

function writeArray(items: readonly unknown[], json: Json, depth: number): void {
  json.text += "[";
  for (let at = 0; at < items.length && json.text.length <= json.limit; at++) {
    if (at > 0) json.text += ",";
    write(items[at], json, depth + 1);
  }
  json.text += "]";
}

function writeObject(members: Readonly<Record<string, unknown>>, json: Json, depth: number): void {
  const keys = Object.keys(members);
  if (keys.length <= maxSortedKeys) keys.sort();
  json.text += "{";
  let separator = "";
  for (const key of keys) {
    if (json.text.length > json.limit) break;
    const value = members[key];
    if (value === undefined) continue;
    json.text += `${separator}${quote(key, json)}:`;
    separator = ",";
    write(value, json, depth + 1);
  }
  json.text += "}";
}

/** Larger objects are cut anyway, and sorting them would be slow. */
const maxSortedKeys = 10_000;

/** One character over the limit is enough to detect the cut. */
function quote(text: string, json: Json): string {
  return JSON.stringify(text.slice(0, Math.max(1, json.limit + 1 - json.text.length)));
}

function textOf(value: unknown): string {
  return typeof value === "function" ? value.name : String(value);
}
