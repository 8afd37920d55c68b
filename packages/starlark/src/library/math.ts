import { Failure } from "../runtime/failure.ts";
import type { BuiltinCall } from "../values/callable.ts";
import { Float } from "../values/float.ts";
import { intFromNumber, isInt } from "../values/int.ts";
import type { Value } from "../values/value.ts";
import { moduleOf } from "./module-of.ts";

/** `floor`, `ceil` and `round` return ints, all others floats. */
export const mathModule = moduleOf(
  "math",
  {
    floor: whole(Math.floor),
    ceil: whole(Math.ceil),
    round: whole((value) => Math.sign(value) * Math.round(Math.abs(value))),
    fabs: float(Math.abs),
    sqrt: float(Math.sqrt),
    exp: float(Math.exp),
    sin: float(Math.sin),
    cos: float(Math.cos),
    tan: float(Math.tan),
    asin: float(Math.asin),
    acos: float(Math.acos),
    atan: float(Math.atan),
    atan2: float(Math.atan2),
    hypot: float((first, second) => Math.hypot(first, second)),
    pow: float((base, exponent) => base ** exponent),
    mod: float((value, by) => value % by),
    degrees: float((value) => (value * 180) / Math.PI),
    radians: float((value) => (value * Math.PI) / 180),
    log: (call) => (call.positional.length === 2 ? logTo(call) : log(call)),
  },
  { pi: new Float(Math.PI), e: new Float(Math.E) },
);

const log = float(Math.log);
const logTo = float((value, base) => Math.log(value) / Math.log(base));

function float(compute: (first: number, second: number) => number): (call: BuiltinCall) => Float {
  return (call) => {
    const [first = NaN, second = NaN] = numbers(call, compute.length);
    return new Float(compute(first, second));
  };
}

function whole(compute: (value: number) => number): (call: BuiltinCall) => Value {
  return (call) => {
    const [only = null] = call.positional;
    if (call.positional.length === 1 && isInt(only)) return only;
    const [value = NaN] = numbers(call, 1);
    const result = compute(value);
    if (!Number.isFinite(result)) throw new Failure(`${call.name}: cannot convert ${value} to an int`);
    return intFromNumber(result);
  };
}

function numbers({ name, positional, named }: BuiltinCall, wanted: number): number[] {
  if (positional.length !== wanted || named.length > 0) {
    throw new Failure(`${name}: takes ${wanted === 2 ? "two numbers" : "one number"}, got ${positional.length}`);
  }
  return positional.map((value) => {
    if (value instanceof Float) return value.value;
    if (isInt(value)) return Number(value);
    throw new Failure(`${name}: takes numbers only`);
  });
}
