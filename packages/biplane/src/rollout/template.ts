import { BiplaneError } from "@biplane/core";
import { pythonRepr, pythonStr } from "./python/text.ts";

/** How to format values in prompts: as JSON, or as Python prints them, like Eval Protocol. */
export type TextStyle = "json" | "python";

/**
 * Replaces `{name}` and `{name[key]}` like Python's `str.format`; `{{` and `}}` stand for braces. Unknown names throw,
 * because a rollout with an incomplete prompt is worthless.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, unknown>>, style: TextStyle): string {
  return template.replaceAll(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g, (found, field: string | undefined) => {
    if (found === "{{") return "{";
    if (found === "}}") return "}";
    if (field === undefined) throw invalid(`has a single ${found}. Write ${found}${found} for a literal one.`);
    return show(field, values, style);
  });
}

function show(field: string, values: Readonly<Record<string, unknown>>, style: TextStyle): string {
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
  if (conversion === "r") return pythonRepr(value);
  if (style === "python" || typeof value === "string") return pythonStr(value);
  return JSON.stringify(value) ?? "";
}

function invalid(why: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `The row's user_prompt_template ${why}`);
}
