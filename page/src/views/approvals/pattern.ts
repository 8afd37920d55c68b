/** One argument of a call, by the path that rules use, and what calls like it may have there. */
export interface Row {
  readonly path: string;
  readonly value: unknown;
  /** What it may be made; only `any` where a rule has no words for the argument. */
  readonly choices: readonly RowChoice[];
  readonly choice: RowChoice;
  /** What was typed for the choices that need it. */
  readonly text: string;
}

/** `is`: just this value. `each`: a list of nothing but these. `any`: anything, also nothing. */
export type RowChoice = "is" | "each" | "any" | "max" | "min" | "like" | "in";

/** The arguments of an input, all of them to stay exactly as they are. */
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

/** The choices that make sense for a value. */
function choicesFor(value: unknown): readonly RowChoice[] {
  if (typeof value === "number") return ["is", "max", "min", "in", "any"];
  if (typeof value === "string") return ["is", "like", "in", "any"];
  if (isFullList(value)) return ["each", "any"];
  return isScalar(value) ? ["is", "any"] : ["any"];
}

/** What a choice begins with when it is made. */
export function startOf(choice: RowChoice, value: unknown): string {
  return choice === "in" ? JSON.stringify([value]).slice(1, -1) : String(value);
}

/** The pattern as rules write it, or what is wrong with the row at fault. */
export function patternOf(tool: string, rows: readonly Row[]): { pattern?: object; fault?: RowFault } {
  const found: Record<string, unknown> = {};
  for (const row of rows) {
    if (row.choice === "any") continue;
    const matcher = matcherOf(row);
    if (matcher === undefined) return { fault: { path: row.path, message: faults[row.choice] ?? "cannot be read" } };
    Object.defineProperty(found, row.path, { value: matcher, enumerable: true });
  }
  return { pattern: { tool, ...(Object.keys(found).length > 0 && { arguments: found }) } };
}

export interface RowFault {
  readonly path: string;
  readonly message: string;
}

/** A rule names at most so many arguments, by paths and lists of at most such a length. */
export const mostRows = 100;
const longestPath = 500;
const longestList = 1000;

const faults: Readonly<Record<string, string>> = {
  max: "must be a number",
  min: "must be a number",
  like: "must say something; * stands for any characters",
  in: 'must be values with commas between, such as "EUR", "USD"',
};

/** What is hidden from people stands there as a sign, and no later call has that: it can only be anything. */
function firstRow(steps: readonly string[], value: unknown): Row {
  const isHidden = /\[REDACTED:/.test(JSON.stringify(value) ?? "");
  const path = steps.map((step) => step.replaceAll(".", "\\.")).join(".");
  const canBeNamed = path.length <= longestPath && steps.every((step) => step !== "" && !step.includes("\\"));
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
  return Array.isArray(value) && value.length > 0 && value.length <= longestList && value.every(isScalar);
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
