/**
 * Binds the arguments of a host function to parameter names. Keyword arguments arrive as a final object, so an object
 * whose keys are all parameter names counts as such.
 */
export function bindHostArguments(
  called: string,
  parameters: readonly string[],
  args: readonly unknown[],
): Record<string, unknown> {
  const last = args.at(-1);
  const named = isKeywords(last, parameters) ? last : {};
  const positional = named === last ? args.slice(0, -1) : args;
  if (positional.length > parameters.length)
    throw new Error(`takes at most ${parameters.length} arguments, got ${positional.length}`);
  const bound: Record<string, unknown> = { ...named };
  for (const [at, value] of positional.entries()) {
    const parameter = parameters[at] as string;
    if (Object.hasOwn(named, parameter)) throw new Error(`${called} got ${parameter} twice`);
    bound[parameter] = value;
  }
  return bound;
}

export function textArgument(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  throw new Error(`${name} must be a string`);
}

function isKeywords(value: unknown, parameters: readonly string[]): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => parameters.includes(key));
}
