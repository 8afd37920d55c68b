/** One argument of a call, by its path in rule syntax, with the condition for it. */
export interface Row {
  readonly path: string;
  readonly value: unknown;
  /** Possible conditions; only `any` if rule syntax cannot express the argument. */
  readonly choices: readonly RowChoice[];
  readonly choice: RowChoice;
  /** Text for the conditions that need one. */
  readonly text: string;
}

/** `is`: exactly this value. `each`: a list of only these values. `any`: any value, or absent. */
export type RowChoice = "is" | "each" | "any" | "max" | "min" | "like" | "in";

/** The arguments of an input, each with an exact condition. */
export function rowsOf(input: unknown): readonly Row[] {
  const rows: Row[] = [];
  const walk = (value: unknown, steps: readonly string[]): void => {
    if (typeof value === "object" && value !== null && !isPlainList(value) && Object.keys(value).length > 0)
      for (const [key, inner] of Object.entries(value)) walk(inner, [...steps, key]);
    else if (steps.length > 0) rows.push(firstRow(steps, value));
  };
  walk(input, []);
  return rows;
}

/** The conditions that apply to a value. */
function choicesFor(value: unknown): readonly RowChoice[] {
  if (typeof value === "number") return ["is", "max", "min", "in", "any"];
  if (typeof value === "string") return ["is", "like", "in", "any"];
  if (isFullList(value)) return ["each", "any"];
  return isScalar(value) ? ["is", "any"] : ["any"];
}

/** The initial text of a condition. */
export function startOf(choice: RowChoice, value: unknown): string {
  return choice === "in" ? JSON.stringify([value]).slice(1, -1) : String(value);
}

/** The pattern in rule syntax, or the first invalid row. */
export function patternOf(tool: string, rows: readonly Row[]): { pattern?: object; fault?: RowFault } {
  const found: Record<string, unknown> = {};
  for (const row of rows) {
    if (row.choice === "any") continue;
    const matcher = matcherOf(row);
    if (matcher === undefined) return { fault: { path: row.path, message: faults[row.choice] ?? "Not valid." } };
    Object.defineProperty(found, row.path, { value: matcher, enumerable: true });
  }
  return { pattern: { tool, ...(Object.keys(found).length > 0 && { arguments: found }) } };
}

export interface RowFault {
  readonly path: string;
  readonly message: string;
}

/** Limits of the rule syntax. */
export const maxRows = 100;
const maxPathLength = 500;
const maxListLength = 1000;

const faults: Readonly<Record<string, string>> = {
  max: "Enter a number.",
  min: "Enter a number.",
  like: "Enter a pattern. * matches any characters.",
  in: 'Enter values separated by commas, such as "EUR", "USD".',
};

/** A redacted value matches no later call, so its default condition is `any`. */
function firstRow(steps: readonly string[], value: unknown): Row {
  const isHidden = /\[REDACTED:/.test(JSON.stringify(value) ?? "");
  const path = steps.map((step) => step.replaceAll(".", "\\.")).join(".");
  const canBeNamed = path.length <= maxPathLength && steps.every((step) => step !== "" && !step.includes("\\"));
  const choices = canBeNamed ? choicesFor(value) : (["any"] as const);
  const [exact = "any"] = choices;
  return { path, value, choices, choice: isHidden ? "any" : exact, text: "" };
}

function matcherOf({ value, choice, text }: Row): unknown {
  switch (choice) {
    case "max":
    case "min": {
      const number = Number(text);
      return text.trim() !== "" && Number.isFinite(number) ? { [choice]: number } : undefined;
    }
    case "like":
      return text === "" ? undefined : { like: text };
    case "in":
      return listIn(text);
    case "each":
      return isFullList(value) ? { each: { in: [...new Set(value)] } } : undefined;
    default:
      return value;
  }
}

function listIn(text: string): unknown {
  try {
    const values: unknown = JSON.parse(`[${text}]`);
    return Array.isArray(values) && values.length > 0 && values.every(isScalar) ? { in: values } : undefined;
  } catch {
    return undefined;
  }
}

function isPlainList(value: object): boolean {
  return Array.isArray(value) && value.every(isScalar);
}

function isFullList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0 && value.length <= maxListLength && value.every(isScalar);
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
