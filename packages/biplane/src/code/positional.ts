import { BiplaneError } from "@biplane/core";
import type { ToolParameter } from "./parameters.ts";

/** Builds a call's input from positional arguments. The last one can be an object of named arguments. */
export function positionalInput(tool: string, parameters: readonly ToolParameter[], args: readonly unknown[]): unknown {
  const names = new Set(parameters.map(({ name }) => name));
  const last = args.at(-1);
  const isNamed = isPlain(last) && Object.keys(last).every((name) => names.has(name));
  if (args.length === 1 && isPlain(last) && (isNamed || parameters[0]?.schema["type"] !== "object")) return last;
  const given = isNamed ? args.slice(0, -1) : args;
  if (given.length > parameters.length) {
    const message = `${tool} takes at most ${parameters.length} arguments, but got ${given.length}.`;
    throw new BiplaneError("INVALID_INPUT", message);
  }
  const input = given.map((value, at) => [parameters[at]?.name ?? "", value] as const);
  return { ...Object.fromEntries(input.filter(([, value]) => value !== null)), ...(isNamed ? last : {}) };
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
