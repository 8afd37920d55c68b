import { BiplaneError } from "../errors.ts";

/** Formats the value of a field. `conversion` is the letter after `!`, as in `{name!r}`. */
export type FieldFormat = (value: unknown, conversion: string | undefined) => string;

/**
 * Replaces `{name}` and `{name[key]}` like Python's `str.format`; `{{` and `}}` stand for braces. Unknown names throw,
 * because a rollout with an incomplete prompt is worthless.
 */
export function fillFields(template: string, values: Readonly<Record<string, unknown>>, format: FieldFormat): string {
  return template.replaceAll(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g, (found, field: string | undefined) => {
    if (found === "{{") return "{";
    if (found === "}}") return "}";
    if (field === undefined) throw invalid(`has a single ${found}. Write ${found}${found} for a literal one.`);
    const { value, conversion } = read(field, values);
    return format(value, conversion);
  });
}

function read(field: string, values: Readonly<Record<string, unknown>>): { value: unknown; conversion?: string } {
  const parts = /^([^[\]!:.]+)((?:\[[^[\]]+\])*)(?:!([rs]))?$/.exec(field);
  if (!parts) throw invalid(`has {${field}}, which is not a field such as {observation} or {observation[grid]}.`);
  const [, name = "", path = "", conversion] = parts;
  if (!Object.hasOwn(values, name))
    throw invalid(`uses {${name}}, which is unknown. Known: ${Object.keys(values).join(", ")}.`);
  const value = Array.from(path.matchAll(/\[([^[\]]+)\]/g)).reduce<unknown>((at, [, key = ""]) => {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key))
      throw invalid(`uses {${field}}, but there is no ${JSON.stringify(key)}.`);
    return (at as Record<string, unknown>)[key];
  }, values[name]);
  return { value, ...(conversion !== undefined && { conversion }) };
}

function invalid(why: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `The row's user_prompt_template ${why}`);
}
