import type { ToolInfo } from "@biplane/core/client";
import { cleanLine } from "../terminal/clean-text.ts";
import { propertiesOf } from "./read-arguments.ts";
import { valueKind } from "./typed-value.ts";

/** `get-sum(a: number, b?: number)` */
export function signature({ name, inputSchema: schema }: ToolInfo): string {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const parts = Object.entries(propertiesOf(schema)).map(([key, property]) => {
    const { types, choices } = valueKind(property, schema);
    const kind = choices ? choices.map((choice) => JSON.stringify(choice)).join(" | ") : [...types].join(" | ");
    return `${key}${required.includes(key) ? "" : "?"}: ${kind === "" ? "any" : kind}`;
  });
  return cleanLine(`${name}(${parts.join(", ")})`);
}

/** The first line of a description. */
export function firstLine(description: unknown): string {
  return typeof description === "string" ? cleanLine(description.trim().split("\n")[0] ?? "") : "";
}
