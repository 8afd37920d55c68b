import { spellingHint } from "../resolve/spelling.ts";
import { Failure } from "../runtime/failure.ts";
import { Builtin, StarlarkFunction, type BuiltinCall } from "../values/callable.ts";
import { isInt } from "../values/int.ts";
import { isIterable, type Iterable } from "../values/iterate.ts";
import { typeName, type Value } from "../values/value.ts";

/** Built-ins or methods by name. */
export type BuiltinTable = Readonly<Record<string, Builtin["implementation"]>>;

/** A built-in that takes between `min` and `max` arguments, by position only. */
export function takes(min: number, max: number, run: Builtin["implementation"]): Builtin["implementation"] {
  return (call) => {
    expectPositional(call, min, max);
    return run(call);
  };
}

/** Checks a built-in that takes arguments by position only. */
export function expectPositional(call: BuiltinCall, min: number, max = min): void {
  const { name, positional, named } = call;
  if (named.length > 0) throw new Failure(`${name}: unexpected keyword arguments`);
  const given = positional.length;
  if (given >= min && given <= max) return;
  const bound = min === max ? "" : given < min ? "at least " : "at most ";
  throw new Failure(`${name}: got ${given} arguments, want ${bound}${given < min ? min : max}`);
}

/** For built-ins with this form of the message. */
export function refuseNamed(call: BuiltinCall): void {
  if (call.named.length > 0) throw new Failure(`${call.name} does not accept keyword arguments`);
}

/**
 * Matches arguments to named parameters. Optional names end in `?` and may be undefined. Each argument records how it
 * was passed, because type errors mention it.
 */
export function bindParameters(call: BuiltinCall, parameters: readonly string[]): (GivenArgument | undefined)[] {
  const { name, positional, named } = call;
  if (positional.length > parameters.length) {
    const bound = parameters.some((parameter) => parameter.endsWith("?")) ? "at most " : "";
    throw new Failure(`${name}: got ${positional.length} arguments, want ${bound}${parameters.length}`);
  }
  const names = parameters.map((parameter) => parameter.replace("?", ""));
  const given: (GivenArgument | undefined)[] = names.map((parameter, index) => {
    const value = positional[index];
    return value === undefined ? undefined : { value, where: `for parameter ${parameter}` };
  });
  for (const [key, value] of named) {
    const index = names.indexOf(key);
    if (index < 0) throw unexpectedKeyword(name, key, names);
    if (given[index]) throw new Failure(`${name}: got multiple values for keyword argument "${key}"`);
    given[index] = { value, where: `for parameter "${key}"` };
  }
  for (const [index, parameter] of parameters.entries()) {
    if (!given[index] && !parameter.endsWith("?")) throw new Failure(`${name}: missing argument for ${parameter}`);
  }
  return given;
}

export interface GivenArgument {
  readonly value: Value;
  readonly where: string;
}

export function unexpectedKeyword(name: string, key: string, candidates: readonly string[]): Failure {
  return new Failure(`${name}: unexpected keyword argument "${key}"${spellingHint(key, candidates)}`);
}

/** The positional argument at an index, as a string. */
export function stringAt(call: BuiltinCall, index: number): string {
  const value = call.positional[index] ?? null;
  return typeof value === "string" ? value : refuse(call, index, "string");
}

export function iterableAt(call: BuiltinCall, index: number): Iterable {
  const value = call.positional[index] ?? null;
  return isIterable(value) ? value : refuse(call, index, "iterable");
}

/** The positional argument at an index as an int that fits a native size, or the fallback when it is not given. */
export function intAt(call: BuiltinCall, index: number, fallback: number): number {
  const value = call.positional[index];
  if (value === undefined) return fallback;
  if (!isInt(value)) return refuse(call, index, "int");
  if (typeof value === "bigint") {
    const where = `${call.name}: for parameter ${index + 1}`;
    throw new Failure(`${where}: ${value} out of range (want value in signed 64-bit range)`);
  }
  return value;
}

export function isCallable(value: Value): value is StarlarkFunction | Builtin {
  return value instanceof StarlarkFunction || value instanceof Builtin;
}

export function refuse(call: BuiltinCall, index: number, wanted: string): never {
  const got = typeName(call.positional[index] ?? null);
  throw new Failure(`${call.name}: for parameter ${index + 1}: got ${got}, want ${wanted}`);
}

/** Prefixes failures with the name of the built-in, as starlark-go does. */
export function prefixed<Result>(name: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof Failure && error.code === "evaluation") throw new Failure(`${name}: ${error.message}`);
    throw error;
  }
}
