import { BiplaneError } from "../../errors.ts";
import type { JsonObject } from "../../tool/schema.ts";

/** What the comment lines at the top of a script say. */
export interface Header {
  readonly description: string | undefined;
  /** The only secrets that the script can read. */
  readonly secrets: readonly string[];
  /** The function that its own tool calls; left out, `main`. */
  readonly function: string | undefined;
  readonly parameters: readonly Parameter[];
  /** Everything else, by key. */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Parameter {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: JsonObject;
}

/**
 * Reads the header: the lines `# @key: value` before the first line that is no comment. The reviewer, the list, the
 * approval and the run all see what this finds, and nothing further down counts.
 */
export function parseHeader(source: string, file: string): Header {
  let description: string | undefined;
  let entry: string | undefined;
  const secrets: string[] = [];
  const parameters: Parameter[] = [];
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

/** The schema of the tool that a script with this header is. */
export function inputSchemaOf({ parameters }: Header): JsonObject {
  return {
    type: "object",
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    additionalProperties: false,
  };
}

function* entriesOf(source: string): Generator<[key: string, value: string]> {
  // A line ends where one of the language ends, so that nothing is a comment here and code there.
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
    if (!/^[A-Z][A-Z0-9_]{0,63}$/.test(name)) throw wrong(file, `${JSON.stringify(name)} is no name of a secret`);
  }
  return names;
}

/** `city: string The city`, or `units?: string = "metric" The units`. */
function parameterOf(written: string, value: string, file: string): Parameter {
  const name = written.replace(/\?$/, "");
  const [, type = "", given, description = ""] =
    /^(\w+)(?:\s*=\s*("(?:[^"\\]|\\.)*"|[^\s"]+))?(?:\s+(.*))?$/.exec(value) ?? [];
  if (!types.has(type)) throw wrong(file, `the type of ${name} is one of ${[...types].join(", ")}`);
  const fallback = given === undefined ? {} : { default: readJson(given, name, file) };
  return {
    name,
    isRequired: !written.endsWith("?") && given === undefined,
    schema: { type, ...(description !== "" && { description }), ...fallback },
  };
}

const types = new Set(["string", "integer", "number", "boolean", "array", "object"]);

function readJson(text: string, name: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw wrong(file, `what ${name} is when left out must be JSON, such as "metric" or 3`);
  }
}

function wrong(file: string, why: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `The header of ${file} cannot be read: ${why}`);
}
