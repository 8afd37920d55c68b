/** A float with an integer value. Python distinguishes 2.0 from 2; JavaScript does not. */
export class PythonFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** Parses JSON with Python's number types: large integers become bigints, integral floats `PythonFloat`s. */
export function readPythonJson(text: string): unknown {
  const kept: unknown[] = [];
  const mark = "\uE000python:";
  const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|-?Infinity/g;
  const marked = text.replaceAll(tokens, (token) => {
    if (token.startsWith('"')) return token;
    const number = /^-?\d+$/.test(token) ? wholeNumber(token) : floatNumber(token);
    return typeof number === "number" && Number.isFinite(number) ? token : `"${mark}${kept.push(number) - 1}"`;
  });
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === "string" && value.startsWith(mark) ? kept[Number(value.slice(mark.length))] : value,
  );
}

/**
 * Same output as Python's `json.dumps(value, sort_keys=True)`, or plain `json.dumps` with `sortKeys: false`. A `Map` is
 * an object whose keys keep their order even if they are numbers.
 */
export function writePythonJson(value: unknown, options: { sortKeys?: boolean } = {}): string {
  if (value === null || value === undefined) return "null";
  if (value instanceof PythonFloat) return pythonFloat(value.value);
  if (typeof value === "string") return pythonString(value);
  if (typeof value === "number")
    return Number.isInteger(value) && !Object.is(value, -0) ? String(BigInt(value)) : pythonFloat(value);
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${value.map((inner) => writePythonJson(inner, options)).join(", ")}]`;
  const entries = value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value);
  if (options.sortKeys !== false) entries.sort(([a], [b]) => byCodePoint(a, b));
  return `{${entries.map(([key, inner]) => `${pythonString(key)}: ${writePythonJson(inner, options)}`).join(", ")}}`;
}

function wholeNumber(token: string): number | bigint {
  if (token.length > maxDigits) throw new SyntaxError(`A number has more than ${maxDigits} digits.`);
  const number = Number(token);
  return Number.isSafeInteger(number) && !Object.is(number, -0) ? number : BigInt(token);
}

/** As in Python, because reading more takes quadratic time. */
const maxDigits = 4300;

function floatNumber(token: string): number | PythonFloat {
  const number = Number(token);
  return Number.isInteger(number) ? new PythonFloat(number) : number;
}

/** Same output as Python's `json.dumps` for a float: JavaScript's digits with other exponent rules. */
export function pythonFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Infinity" : "-Infinity";
  if (Object.is(value, -0)) return "-0.0";
  const [mantissa = "", exponentText = "0"] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (value !== 0 && (exponent < -4 || exponent >= 16)) {
    return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  const digits = mantissa.replace("-", "").replace(".", "");
  const sign = value < 0 ? "-" : "";
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}

function pythonString(text: string): string {
  return `"${text.replaceAll(/["\\]|[^\u0020-\u007E]/g, escape)}"`;
}

function escape(unit: string): string {
  return (
    shortEscapes[unit] ??
    Array.from({ length: unit.length }, (_, at) => `\\u${unit.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")
  );
}

const shortEscapes: Readonly<Record<string, string>> = {
  '"': String.raw`\"`,
  "\\": "\\\\",
  "\b": String.raw`\b`,
  "\t": String.raw`\t`,
  "\n": String.raw`\n`,
  "\f": String.raw`\f`,
  "\r": String.raw`\r`,
};

/** Python sorts by code points, JavaScript by UTF-16 units; they differ outside the Basic Multilingual Plane. */
function byCodePoint(a: string, b: string): number {
  const [left, right] = [Array.from(a, codePoint), Array.from(b, codePoint)];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
