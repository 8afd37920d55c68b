import { BiplaneError } from "@biplane/core";
import type { JsonObject } from "@biplane/core/internal";

/** The header of a script: the comments at its top. */
export interface ScriptHeader {
  readonly description: string | undefined;
  /** The secrets the script can read. */
  readonly secrets: readonly string[];
  /** The function its tool calls (default: `main`). */
  readonly function: string | undefined;
  readonly parameters: readonly ScriptParameter[];
  /** All other keys. */
  readonly metadata: Readonly<Record<string, string>>;
}

type ScriptParameter = ReturnType<typeof parameterOf>;

/**
 * Parses the lines `# @key: value` before the first line that is not a comment. Review, approval and run all use this
 * result.
 */
export function parseHeader(source: string, file: string): ScriptHeader {
  let description: string | undefined;
  let entry: string | undefined;
  const secrets: string[] = [];
  const parameters: ScriptParameter[] = [];
  const metadata = new Map<string, string>();
  for (const [key, value] of entriesOf(source)) {
    const parameter = /^param\s+(\S+)$/.exec(key);
    if (parameter) parameters.push(parameterOf(parameter[1] ?? "", value, file));
    else if (key === "description") description ??= value;
    else if (key === "secret" || key === "secrets") secrets.push(...namesIn(value, file));
    else if (key === "function") entry ??= value;
    else if (!metadata.has(key)) metadata.set(key, value);
  }
  return {
    description,
    secrets: [...new Set(secrets)].sort(),
    function: entry,
    parameters,
    metadata: Object.fromEntries(metadata),
  };
}

/** The input schema of the script as a tool. */
export function inputSchemaOf({ parameters }: ScriptHeader): JsonObject {
  return {
    type: "object",
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    additionalProperties: false,
  };
}

function* entriesOf(source: string): Generator<[key: string, value: string]> {
  // Use the language's line ends, so that no line is a comment here but code there.
  for (const line of source.replace(/^\uFEFF/, "").split(/\r\n?|\n/)) {
    if (!line.startsWith("#")) return;
    const found = /^#\s*@([a-z_]+(?:\s+[A-Za-z_]\w*\??)?)\s*:\s*(.*)$/.exec(line);
    if (found) yield [found[1] ?? "", (found[2] ?? "").trim()];
  }
}

function namesIn(value: string, file: string): string[] {
  const names = value
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  for (const name of names) {
    if (!/^[A-Z][A-Z0-9_]{0,63}$/.test(name))
      throw invalidHeader(file, `${JSON.stringify(name)} is not a valid secret name`);
  }
  return names;
}

/** Parses `city: string The city` or `units?: string = "metric" The units`. */
function parameterOf(declaration: string, value: string, file: string) {
  const name = declaration.replace(/\?$/, "");
  const [, type = "", given, description = ""] =
    /^(\w+)(?:\s*=\s*("(?:[^"\\]|\\.)*"|[^\s"]+))?(?:\s+(.*))?$/.exec(value) ?? [];
  if (!types.has(type)) throw invalidHeader(file, `the type of ${name} must be one of ${[...types].join(", ")}`);
  const fallback = given === undefined ? {} : { default: parseDefault(given, name, file) };
  return {
    name,
    isRequired: !declaration.endsWith("?") && given === undefined,
    schema: { type, ...(description !== "" && { description }), ...fallback },
  };
}

const types = new Set(["string", "integer", "number", "boolean", "array", "object"]);

function parseDefault(text: string, name: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidHeader(file, `the default of ${name} must be JSON, such as "metric" or 3`);
  }
}

function invalidHeader(file: string, why: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `The header of ${file} is invalid: ${why}.`);
}
