import { createNamespace, Float } from "../../../starlark/index.ts";

/** Functions of numbers: `floor`, `ceil` and `round` give ints, the others floats. */
export function mathModule(): unknown {
  return createNamespace("math", {
    pi: Math.PI,
    e: Math.E,
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
    hypot: float(Math.hypot),
    pow: float(Math.pow),
    mod: float((value, by) => value % by),
    degrees: float((value) => (value * 180) / Math.PI),
    radians: float((value) => (value * Math.PI) / 180),
    log: (...args: unknown[]) => (args.length === 2 ? logTo(...args) : log(...args)),
  });
}

const log = float(Math.log);
const logTo = float((value, base) => Math.log(value) / Math.log(base));

function float(compute: (first: number, second: number) => number): (...args: unknown[]) => Float {
  return (...args) => {
    const [first = NaN, second = NaN] = numbers(args, compute.length);
    return new Float(compute(first, second));
  };
}

function whole(compute: (value: number) => number): (...args: unknown[]) => number | bigint {
  return (...args) => {
    if (args.length === 1 && typeof args[0] === "bigint") return args[0];
    const [value = NaN] = numbers(args, 1);
    const result = compute(value);
    if (!Number.isFinite(result)) throw new Error(`cannot make a whole number of ${value}`);
    return Number.isSafeInteger(result) ? result + 0 : BigInt(result);
  };
}

function numbers(args: readonly unknown[], wanted: number): number[] {
  if (args.length !== wanted)
    throw new Error(`takes ${wanted === 2 ? "two numbers" : "one number"}, got ${args.length}`);
  return args.map((value) => {
    if (typeof value === "number" || typeof value === "bigint") return Number(value);
    throw new Error("takes numbers only");
  });
}
