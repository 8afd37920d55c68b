import { textArgument } from "./arguments.ts";
import { writeJson } from "./write-json.ts";

/** `format("%s has %d", name, count)`: %s %v %q %d %x %o %b %c %f %e %g %t %%, with flags, width and precision. */
export function format(...args: unknown[]): string {
  const template = textArgument(args[0], "the format");
  const values = args.slice(1);
  let used = 0;
  const text = template.replaceAll(
    verb,
    (written, flags: string, width: string, precision: string | undefined, kind: string) => {
      if (kind === "%") return "%";
      if (used >= values.length) throw new Error(`nothing is left for ${written}`);
      const shown = show(values[used++], {
        written,
        kind,
        precision: precision === undefined ? undefined : Number(precision),
      });
      return pad(shown, flags, Math.min(Number(width || 0), widest));
    },
  );
  if (used < values.length) throw new Error(`${values.length - used} values are left over`);
  return text;
}

const verb = /%([-+0 ]*)(\d*)(?:\.(\d*))?([a-zA-Z%])/g;
const widest = 1000;

function show(value: unknown, how: { written: string; kind: string; precision: number | undefined }): string {
  const { written, kind, precision } = how;
  switch (kind) {
    case "s":
    case "v":
      return plain(value).slice(0, precision);
    case "q":
      return JSON.stringify(plain(value));
    case "t":
      if (typeof value === "boolean") return value ? "true" : "false";
      break;
    case "d":
    case "x":
    case "X":
    case "o":
    case "b":
      if (typeof value === "bigint" || Number.isInteger(value)) return inBase(BigInt(value as number), kind);
      break;
    case "c":
      if (Number.isInteger(value)) return String.fromCodePoint(value as number);
      break;
    case "f":
    case "F":
    case "e":
    case "g":
      if (typeof value === "number" || typeof value === "bigint") return decimal(Number(value), kind, precision);
      break;
    default:
      throw new Error(`${written} is unknown`);
  }
  throw new Error(`${written} does not fit ${typeof value}`);
}

function plain(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "True" : "False";
  if (value === null || value === undefined) return "None";
  if (typeof value === "bigint" || typeof value === "number") return String(value);
  return writeJson(value, { maxLength: 1024 * 1024, isForShow: true });
}

function inBase(value: bigint, kind: string): string {
  const text = value.toString({ d: 10, x: 16, X: 16, o: 8, b: 2 }[kind]);
  return kind === "X" ? text.toUpperCase() : text;
}

function decimal(value: number, kind: string, precision: number | undefined): string {
  const digits = Math.min(precision ?? 6, 100);
  if (kind === "g") return precision === undefined ? String(value) : String(Number(value.toPrecision(digits || 1)));
  return kind === "e" ? value.toExponential(digits).replace(/e([+-])(\d)$/, "e$10$2") : value.toFixed(digits);
}

function pad(text: string, flags: string, width: number): string {
  const isNumber = /^-?\d/.test(text);
  const signed = isNumber && flags.includes("+") && !text.startsWith("-") ? `+${text}` : text;
  if (flags.includes("-")) return signed.padEnd(width);
  if (!flags.includes("0") || !isNumber) return signed.padStart(width);
  const [, sign = "", rest = ""] = /^([+-]?)(.*)$/s.exec(signed) ?? [];
  return sign + rest.padStart(width - sign.length, "0");
}
