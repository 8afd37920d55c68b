import { messageOf } from "../errors.ts";

const longestValue = 256;
const longestMessage = 2000;

/** What cannot be seen, or changes how the rest is shown: controls, escapes, line ends, marks of direction. */
const unseen = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** JSON with nothing in it that a terminal or a reader of lines takes for more than text. Still JSON. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(unseen, escaped);
}

/** Text for the middle of a line, whatever it says. */
export function printableText(text: string): string {
  return text.replace(unseen, (mark) => short[mark] ?? escaped(mark));
}

/** A value as it stands behind `key=`: bare where that is plain, in quotes where it is not. */
export function printableValue(value: unknown): string {
  if (typeof value !== "string") return printableJson(value);
  return /^[!#-<>-[\]-~]+$/.test(value) ? value : printableJson(value);
}

/** Any value as one that JSON can hold. Objects become text, hostile ones too. */
export function plain(value: unknown): Plain {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "boolean":
      return value;
    case "object":
      if (value === null) return null;
      return value instanceof Error ? messageOf(value) : asJson(value);
    default:
      return String(value);
  }
}

export type Plain = string | number | boolean | null;

/** As much of a value as a line has room for. */
export function brief(value: Plain): Plain {
  return typeof value === "string" ? cut(value, longestValue) : value;
}

export function briefMessage(message: string): string {
  return cut(message, longestMessage);
}

function asJson(value: object): string {
  try {
    return JSON.stringify(value) ?? "[nothing]";
  } catch {
    return "[unprintable]";
  }
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

const short: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escaped(mark: string): string {
  return Array.from({ length: mark.length }, (_, at) => `\\u${mark.charCodeAt(at).toString(16).padStart(4, "0")}`).join(
    "",
  );
}
