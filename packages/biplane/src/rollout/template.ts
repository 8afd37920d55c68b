import { fillFields } from "@biplane/core/internal";
import { pythonRepr, pythonStr } from "./python/text.ts";

/** How to format values in prompts: as JSON, or as Python prints them, like Eval Protocol. */
export type TextStyle = "json" | "python";

/** Fills a template of a row in a style. */
export function fillTemplate(template: string, values: Readonly<Record<string, unknown>>, style: TextStyle): string {
  return fillFields(template, values, (value, conversion) => {
    if (conversion === "r") return pythonRepr(value);
    if (style === "python" || typeof value === "string") return pythonStr(value);
    return JSON.stringify(value) ?? "";
  });
}
