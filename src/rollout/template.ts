import { BiplaneError } from "../errors.ts";
import { pythonRepr, pythonStr } from "./python/text.ts";

/** How values that are not text appear in a prompt: as JSON, or as Python prints them, which is what Eval Protocol does. */
export type TextStyle = "json" | "python";

/**
 * Fills `{name}` in a prompt, and `{name[key]}`, as Python's `str.format` does; `{{` and `}}` are braces. A name that is
 * not known is an error, for a prompt with a hole in it would be played to the end.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, unknown>>, style: TextStyle): string {
  return template.replaceAll(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g, (found, field: string | undefined) => {
    if (found === "{{") return "{";
    if (found === "}}") return "}";
    if (field === undefined) throw invalid(`has a lone ${found}; write ${found}${found} for the character itself`);
    return show(field, values, style);
  });
}

function show(field: string, values: Readonly<Record<string, unknown>>, style: TextStyle): string {
  const parts = /^([^[\]!:.]+)((?:\[[^[\]]+\])*)(?:!([rs]))?$/.exec(field);
  if (!parts) throw invalid(`has {${field}}, which is not a name such as {observation} or {observation[grid]}`);
  const [, name = "", path = "", conversion] = parts;
  if (!Object.hasOwn(values, name)) throw invalid(`asks for {${name}}; there are ${Object.keys(values).join(", ")}`);
  const value = Array.from(path.matchAll(/\[([^[\]]+)\]/g)).reduce<unknown>((at, [, key = ""]) => {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key))
      throw invalid(`asks for {${field}}, and there is no ${JSON.stringify(key)}`);
    return (at as Record<string, unknown>)[key];
  }, values[name]);
  if (conversion === "r") return pythonRepr(value);
  if (style === "python" || typeof value === "string") return pythonStr(value);
  return JSON.stringify(value) ?? "";
}

function invalid(why: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `The row's user_prompt_template ${why}`);
}
