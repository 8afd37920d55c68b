import { invisibleCharacters, messageOf } from "@biplane/core/internal";

const maxValueLength = 256;
const maxMessageLength = 2000;

/** JSON in which invisible characters are escaped. It stays valid JSON. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(invisibleCharacters, escaped);
}

/** Text with invisible characters escaped, for the middle of a line. */
export function printableText(text: string): string {
  return text.replace(invisibleCharacters, (mark) => short[mark] ?? escaped(mark));
}

/** A value after `key=`: bare if possible, otherwise quoted. */
export function printableValue(value: unknown): string {
  if (typeof value !== "string") return printableJson(value);
  return /^[!#-<>-[\]-~]+$/.test(value) ? value : printableJson(value);
}

/** Converts any value to a JSON primitive. Objects become text. */
export function plain(value: unknown): Plain {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "object":
      if (value === null) return null;
      return value instanceof Error ? messageOf(value) : asJson(value);
    default:
      return Number.isFinite(value) ? (value as number) : String(value);
  }
}

export type Plain = string | number | boolean | null;

/** Cuts a value to the length that a line allows. */
export function brief(value: Plain): Plain {
  return typeof value === "string" ? cut(value, maxValueLength) : value;
}

export function briefMessage(message: string): string {
  return cut(message, maxMessageLength);
}

function asJson(value: object): string {
  try {
    return JSON.stringify(value) ?? "[nothing]";
  } catch {
    return "[unprintable]";
  }
}

function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}

const short: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escaped(mark: string): string {
  return Array.from({ length: mark.length }, (_, at) => `\\u${mark.charCodeAt(at).toString(16).padStart(4, "0")}`).join(
    "",
  );
}
