import { Failure } from "../runtime/failure.ts";
import { countCodePoints, decodeAt, encodeCodePoint } from "../utf8.ts";
import { Bytes } from "../values/bytes.ts";
import type { BuiltinCall } from "../values/callable.ts";
import { Float } from "../values/float.ts";
import { fitsIndex, intToFloat, isInt, subtract } from "../values/int.ts";
import { isIterable, iterate } from "../values/iterate.ts";
import { replaceInvalid, repr, toText } from "../values/repr.ts";
import { isTrue } from "../values/truth.ts";
import { typeName, type Value } from "../values/value.ts";
import { bindParameters, expectPositional, refuseNamed, takes, type BuiltinTable } from "./arguments.ts";
import { intFromFloat } from "./numbers.ts";
import { parseFloatLiteral, parseIntLiteral } from "./parse-number.ts";

export const conversionBuiltins: BuiltinTable = {
  abs: takes(1, 1, (call) => {
    const [value = null] = call.positional;
    if (value instanceof Float) return new Float(Math.abs(value.value));
    if (isInt(value)) return value < 0 ? subtract(call.thread, 0, value) : value;
    throw new Failure(`got ${typeName(value)}, want int or float`);
  }),
  bool: takes(0, 1, (call) => isTrue(call.positional[0] ?? null)),
  bytes: (call) => {
    const value = onlyArgument(call);
    if (value instanceof Bytes) return value;
    if (typeof value === "string") return new Bytes(replaceInvalid(value));
    if (!isIterable(value)) {
      throw new Failure(`bytes: got ${typeName(value)}, want string, bytes, or iterable of ints`);
    }
    const characters: string[] = [];
    iterate(value, (element) => {
      const where = `bytes: at index ${characters.length}`;
      if (!isInt(element)) throw new Failure(`${where}, got ${typeName(element)}, want int`);
      if (element < 0 || element > 255) {
        throw new Failure(`${where}, ${element} out of range (want value in unsigned 8-bit range)`);
      }
      call.thread.allocate(9);
      call.thread.charge(1);
      characters.push(String.fromCharCode(Number(element)));
    });
    return new Bytes(characters.join(""));
  },
  chr: (call) => {
    refuseNamed(call);
    expectPositional(call, 1);
    const [value = null] = call.positional;
    if (!isInt(value)) throw new Failure(`chr: got ${typeName(value)}, want int`);
    if (!fitsIndex(value)) throw new Failure(`chr: ${value} out of range`);
    if (value < 0) throw new Failure(`chr: Unicode code point ${value} out of range (<0)`);
    if (value > 0x10ffff) {
      throw new Failure(`chr: Unicode code point U+${value.toString(16).toUpperCase()} out of range (>0x10FFFF)`);
    }
    return encodeCodePoint(value);
  },
  float: (call) => {
    refuseNamed(call);
    if (call.positional.length === 0) return new Float(0);
    if (call.positional.length > 1) throw new Failure(`float got ${call.positional.length} arguments, wants 1`);
    const [value = null] = call.positional;
    if (value instanceof Float) return value;
    if (typeof value === "boolean") return new Float(Number(value));
    if (isInt(value)) return new Float(intToFloat(value));
    if (typeof value === "string") return new Float(parseFloatLiteral(value));
    throw new Failure(`float got ${typeName(value)}, want number or string`);
  },
  int: (call) => {
    const [given, base] = bindParameters(call, ["x", "base?"]);
    const value = given?.value ?? null;
    if (typeof value === "string") return parseIntLiteral(call.thread, value, base ? base.value : 10);
    if (base) throw new Failure("int: can't convert non-string with explicit base");
    if (typeof value === "boolean") return Number(value);
    if (isInt(value)) return value;
    if (value instanceof Float) return intFromFloat(value.value, "int: ");
    throw new Failure(`int: cannot convert ${typeName(value)} to int`);
  },
  ord: (call) => {
    refuseNamed(call);
    expectPositional(call, 1);
    const [value = null] = call.positional;
    if (value instanceof Bytes) {
      if (value.data.length === 1) return value.data.charCodeAt(0);
      throw new Failure(`ord: bytes has length ${value.data.length}, want 1`);
    }
    if (typeof value !== "string") throw new Failure(`ord: got ${typeName(value)}, want string or bytes`);
    const count = countCodePoints(value);
    if (count === 1) return decodeAt(value, 0).codePoint;
    throw new Failure(`ord: string encodes ${count} Unicode code points, want 1`);
  },
  repr: takes(1, 1, (call) => repr(call.thread, call.positional[0] ?? null)),
  str: (call) => toText(call.thread, onlyArgument(call)),
};

function onlyArgument(call: BuiltinCall): Value {
  const { name, positional } = call;
  refuseNamed(call);
  if (positional.length !== 1) throw new Failure(`${name}: got ${positional.length} arguments, want exactly 1`);
  return positional[0] ?? null;
}
