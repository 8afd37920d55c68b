import { pythonRepr } from "../rollout/python/text.ts";
import { PythonFloat } from "../rollout/python/json.ts";
import { PythonError } from "./python-error.ts";
import { roundToCents } from "./python-number.ts";

/** The result of an arithmetic expression in Python's grammar, rounded to cents. */
export function calculate(expression: string): string {
  if (!/^[0-9+\-*/(). ]*$/.test(expression)) throw new PythonError("Invalid characters in expression");
  const value = toFloat(new Expression(expression).value());
  return pythonRepr(new PythonFloat(Number.isFinite(value) ? roundToCents(value) : value));
}

/** An int or a float of Python. */
type PythonNumber = bigint | number;

/** A recursive-descent parser that evaluates while it reads. */
class Expression {
  readonly #tokens: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    if (text.length > maxLength) throw syntaxError(`is longer than ${maxLength} characters`);
    // A space inside a number or an operator separates two tokens.
    this.#tokens = text.match(/\d+\.\d*|\.\d+|\d+|\*\*|\/\/|[+\-*/().]/g) ?? [];
  }

  value(): PythonNumber {
    const value = this.#sum();
    if (this.#at < this.#tokens.length) throw syntaxError(`has an unexpected ${this.#tokens[this.#at]}`);
    return value;
  }

  #sum(): PythonNumber {
    let left = this.#product();
    for (;;) {
      if (this.#take("+")) left = add(left, this.#product());
      else if (this.#take("-")) left = add(left, negate(this.#product()));
      else return left;
    }
  }

  #product(): PythonNumber {
    let left = this.#signed();
    for (;;) {
      if (this.#take("*")) left = multiply(left, this.#signed());
      else if (this.#take("//")) left = floorDivide(left, this.#signed());
      else if (this.#take("/")) left = divide(left, this.#signed());
      else return left;
    }
  }

  #signed(): PythonNumber {
    if (++this.#depth > maxDepth) throw syntaxError("is nested too deeply");
    try {
      if (this.#take("-")) return negate(this.#signed());
      if (this.#take("+")) return this.#signed();
      const base = this.#atom();
      return this.#take("**") ? power(base, this.#signed()) : base;
    } finally {
      this.#depth--;
    }
  }

  #atom(): PythonNumber {
    if (this.#take("(")) {
      const inner = this.#sum();
      if (!this.#take(")")) throw syntaxError("lacks a )");
      return inner;
    }
    const token = this.#tokens[this.#at++] ?? "";
    if (/^\d+$/.test(token)) {
      if (/^0+[1-9]/.test(token)) throw syntaxError(`has a number with leading zeros: ${token}`);
      return BigInt(token);
    }
    if (/\d/.test(token)) return Number(token);
    throw syntaxError(token === "" ? "ends too early" : `has an unexpected ${token}`);
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }
}

const maxLength = 10_000;
const maxDepth = 200;
const maxBits = 100_000;

function syntaxError(what: string): PythonError {
  return new PythonError(`The expression ${what}.`, { isLoose: true });
}

function toFloat(value: PythonNumber): number {
  const float = Number(value);
  if (typeof value === "bigint" && !Number.isFinite(float)) throw new PythonError("int too large to convert to float");
  return float;
}

function add(a: PythonNumber, b: PythonNumber): PythonNumber {
  return typeof a === "bigint" && typeof b === "bigint" ? a + b : toFloat(a) + toFloat(b);
}

function negate(value: PythonNumber): PythonNumber {
  return -value;
}

function multiply(a: PythonNumber, b: PythonNumber): PythonNumber {
  return typeof a === "bigint" && typeof b === "bigint" ? a * b : toFloat(a) * toFloat(b);
}

function divide(a: PythonNumber, b: PythonNumber): PythonNumber {
  const areIntegers = typeof a === "bigint" && typeof b === "bigint";
  if (Number(b) === 0) throw new PythonError(areIntegers ? "division by zero" : "float division by zero");
  return toFloat(a) / toFloat(b);
}

function floorDivide(a: PythonNumber, b: PythonNumber): PythonNumber {
  if (typeof a === "bigint" && typeof b === "bigint") {
    if (b === 0n) throw new PythonError("integer division or modulo by zero");
    const quotient = a / b;
    return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
  }
  const [x, y] = [toFloat(a), toFloat(b)];
  if (y === 0) throw new PythonError("float floor division by zero");
  const rest = x % y;
  const quotient = (x - rest) / y - (rest !== 0 && y < 0 !== rest < 0 ? 1 : 0);
  if (quotient === 0) return Object.is(x / y, -0) || x / y < 0 ? -0 : 0;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

function power(base: PythonNumber, exponent: PythonNumber): PythonNumber {
  if (typeof base === "bigint" && typeof exponent === "bigint" && exponent >= 0n) {
    const bits = BigInt(base.toString(2).length) * exponent;
    if (bits > maxBits && base !== 0n && base !== 1n && base !== -1n)
      throw new PythonError("int too large to convert to float");
    return base ** exponent;
  }
  const [x, y] = [toFloat(base), toFloat(exponent)];
  if (x === 0 && y < 0) throw new PythonError("0.0 cannot be raised to a negative power");
  const result = x ** y;
  if (Number.isNaN(result)) throw new PythonError("float() argument must be a string or a real number, not 'complex'");
  if (!Number.isFinite(result)) throw new PythonError("(34, 'Numerical result out of range')");
  return result;
}
