import { PythonFloat, pythonFloat, writePythonJson } from "./json.ts";

/** Same output as Python's `str(value)`, which Eval Protocol uses in prompts. */
export function pythonStr(value: unknown): string {
  return typeof value === "string" ? value : pythonRepr(value);
}

/** Same output as Python's `repr(value)`. */
export function pythonRepr(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (value instanceof PythonFloat) return floatRepr(value.value);
  if (typeof value === "number") return Number.isInteger(value) ? writePythonJson(value) : floatRepr(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "string") return stringRepr(value);
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(", ")}]`;
  return `{${Object.entries(value)
    .map(([key, inner]) => `${stringRepr(key)}: ${pythonRepr(inner)}`)
    .join(", ")}}`;
}

/** A tool's result as Eval Protocol writes it into a message: strings unchanged, the rest like `json.dumps`. */
export function pythonToolText(observation: unknown): string {
  return typeof observation === "string" ? observation : writePythonJson(observation, { sortKeys: false });
}

function floatRepr(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return pythonFloat(value);
}

/** Python uses double quotes only if the text contains single quotes and no double quotes. */
function stringRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replaceAll(/[\\'"]|[^\u0020-\u007E]/gu, (character) => {
    if (character === "\\") return "\\\\";
    if (character === "'" || character === '"') return character === quote ? `\\${character}` : character;
    return shortEscapes[character] ?? (isPrintable(character) ? character : hexEscape(character));
  });
  return `${quote}${escaped}${quote}`;
}

const shortEscapes: Readonly<Record<string, string>> = {
  "\t": String.raw`\t`,
  "\n": String.raw`\n`,
  "\r": String.raw`\r`,
};

/** Like `str.isprintable`: no control, format, surrogate, private, unassigned or separator characters. */
function isPrintable(character: string): boolean {
  return !/[\p{C}\p{Z}]/u.test(character);
}

function hexEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}
