import { stringAt } from "../builtins/arguments.ts";
import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";
import { decodeUtf8, encodeUtf8 } from "../utf8.ts";
import type { BuiltinCall } from "../values/callable.ts";
import { Float } from "../values/float.ts";
import { chargeDecimal, isInt, type Int } from "../values/int.ts";
import { typeName, type Value } from "../values/value.ts";
import { writeJson } from "./write-json.ts";

/** `format("%s has %d", name, count)`: %s %v %q %d %x %o %b %c %f %e %g %t %%, with flags, width and precision. */
export function format(call: BuiltinCall): string {
  const template = decodeUtf8(stringAt(call, 0));
  const values = call.positional.slice(1);
  let used = 0;
  const text = template.replaceAll(
    verb,
    (written, flags: string, width: string, precision: string | undefined, kind: string) => {
      if (kind === "%") return "%";
      const value = values[used++];
      if (value === undefined) throw new Failure(`format: no value for ${written}`);
      const shown = show(call.thread, value, {
        written,
        kind,
        precision: precision === undefined ? undefined : Number(precision),
      });
      const padded = pad(shown, flags, Math.min(Number(width || 0), widest));
      call.thread.allocate(padded.length);
      return padded;
    },
  );
  if (used < values.length) throw new Failure(`format: ${values.length - used} values are not used`);
  return encodeUtf8(text);
}

const verb = /%([-+0 ]*)(\d*)(?:\.(\d*))?([a-zA-Z%])/g;
const widest = 1000;

interface Verb {
  readonly written: string;
  readonly kind: string;
  readonly precision: number | undefined;
}

function show(thread: Thread, value: Value, { written, kind, precision }: Verb): string {
  switch (kind) {
    case "s":
    case "v":
      return plain(thread, value).slice(0, precision);
    case "q":
      return JSON.stringify(plain(thread, value));
    case "t":
      if (typeof value === "boolean") return value ? "true" : "false";
      break;
    case "d":
    case "x":
    case "X":
    case "o":
    case "b":
      if (isInt(value)) return inBase(thread, value, kind);
      break;
    case "c":
      if (typeof value === "number" && value >= 0 && value <= 0x10ffff) return String.fromCodePoint(value);
      break;
    case "f":
    case "F":
    case "e":
    case "g":
      if (isInt(value)) return decimal(Number(value), kind, precision);
      if (value instanceof Float) return decimal(value.value, kind, precision);
      break;
    default:
      throw new Failure(`format: ${written} is unknown`);
  }
  throw new Failure(`format: ${written} does not accept a ${typeName(value)}`);
}

function plain(thread: Thread, value: Value): string {
  if (typeof value === "string") return decodeUtf8(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  if (value === null) return "None";
  if (isInt(value)) return inBase(thread, value, "d");
  if (value instanceof Float) return String(value.value);
  const { text, isCut } = writeJson(thread, value, { maxBytes: maxValueBytes, isForDisplay: true });
  if (isCut) throw new Failure(`format: a value is larger than ${maxValueBytes} bytes as JSON`);
  return text;
}

const maxValueBytes = 1024 * 1024;

function inBase(thread: Thread, value: Int, kind: string): string {
  chargeDecimal(thread, value);
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
