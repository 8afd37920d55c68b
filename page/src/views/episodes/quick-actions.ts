import type { ToolSummary } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { isRecord } from "../../../../packages/core/src/is-record.ts";

/** A call that one key or click makes. */
export interface QuickAction {
  readonly title: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The keys that trigger it. */
  readonly keys: readonly string[];
}

/**
 * All possible calls of a tool, if they are few: one argument that is an enum, a small integer range or a boolean, or no
 * argument. Undefined if a form is needed.
 */
export function quickActionsOf({ name, input }: ToolSummary): readonly QuickAction[] | undefined {
  const properties = objectIn(input["properties"]);
  const required = Array.isArray(input["required"]) ? (input["required"] as readonly unknown[]) : [];
  const names = Object.keys(properties);
  // An optional argument with only one possible value can be ignored.
  const open = names.filter((each) => required.includes(each) || (valuesOf(properties[each])?.length ?? 2) > 1);
  if (open.length === 0) return required.length === 0 ? [{ title: name, input: {}, keys: ["1"] }] : undefined;
  const [argument = ""] = open;
  const values = valuesOf(properties[argument]);
  if (open.length > 1 || !values || values.length === 0 || values.length > maxActions) return undefined;
  const areDigits = values.every((value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 9);
  return values.map((value, at) => ({
    title: titleOf(value),
    input: { [argument]: value },
    keys: keysOf(value, areDigits ? Number(value) : at + 1),
  }));
}

/** Directions in capitals are written like other words. */
function titleOf(value: unknown): string {
  const title = String(value);
  const isDirection = arrows[title.toLowerCase()] !== undefined && title.toUpperCase() === title;
  return isDirection ? title.slice(0, 1) + title.slice(1).toLowerCase() : title;
}

const maxActions = 12;

function valuesOf(schema: unknown): readonly unknown[] | undefined {
  const { enum: values, const: only, type, minimum, maximum } = objectIn(schema);
  if (Array.isArray(values)) return values.every((value) => typeof value !== "object") ? values : undefined;
  if (only !== undefined && typeof only !== "object") return [only];
  if (type === "boolean") return [true, false];
  if (type !== "integer" || typeof minimum !== "number" || typeof maximum !== "number") return undefined;
  const size = maximum - minimum + 1;
  return size >= 1 && size <= maxActions ? Array.from({ length: size }, (_, at) => minimum + at) : undefined;
}

/** A digit, plus the arrow key for a direction. */
function keysOf(value: unknown, digit: number): readonly string[] {
  const arrow = typeof value === "string" ? arrows[value.toLowerCase()] : undefined;
  return [...(digit <= 9 ? [String(digit)] : []), ...(arrow === undefined ? [] : [arrow])];
}

const arrows: Readonly<Record<string, string>> = {
  left: "ArrowLeft",
  right: "ArrowRight",
  up: "ArrowUp",
  down: "ArrowDown",
  west: "ArrowLeft",
  east: "ArrowRight",
  north: "ArrowUp",
  south: "ArrowDown",
};

function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
