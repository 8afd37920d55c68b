import type { JsonObject } from "../../../../packages/core/src/tool/schema.ts";

/** The public functions in the source of a script. */
export function functionsIn(source: string): readonly string[] {
  return Array.from(source.matchAll(/^def\s+([A-Za-z]\w*)\s*\(/gm), ([, name = ""]) => name);
}

/** The entry function: `main`, unless the header names another. */
export function entryFunction(source: string): string {
  const found = headerOf(source).find(([key]) => key === "function");
  return found?.[1] ?? "main";
}

/**
 * A JSON Schema for the input form, from the `# @param` lines of the header or from the function's parameters. The server
 * validates the input again.
 */
export function parametersOf(source: string, name: string): JsonObject {
  const declared = headerOf(source).flatMap(([key, value]) => {
    const [, written] = /^param\s+(\S+)$/.exec(key) ?? [];
    return written === undefined ? [] : [declaredParameter(written, value)];
  });
  const isOwn = name === entryFunction(source);
  const found = isOwn && declared.length > 0 ? declared : signature(source, name).flatMap(ownParameter);
  return {
    type: "object",
    properties: Object.fromEntries(found.map((each) => [each.name, each.schema])),
    required: found.filter(({ isRequired }) => isRequired).map((each) => each.name),
    additionalProperties: false,
  };
}

interface Parameter {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: JsonObject;
}

function headerOf(source: string): readonly (readonly [key: string, value: string])[] {
  const lines = source.replace(/^\uFEFF/, "").split(/\r\n?|\n/);
  const end = lines.findIndex((line) => !line.startsWith("#"));
  return lines.slice(0, end < 0 ? lines.length : end).flatMap((line) => {
    const [, key, value = ""] = /^#\s*@([a-z_]+(?:\s+[A-Za-z_]\w*\??)?)\s*:\s*(.*)$/.exec(line) ?? [];
    return key === undefined ? [] : [[key, value.trim()] as const];
  });
}

function declaredParameter(written: string, value: string): Parameter {
  const [, type = "", given, description = ""] =
    /^(\w+)(?:\s*=\s*("(?:[^"\\]|\\.)*"|[^\s"]+))?(?:\s+(.*))?$/.exec(value) ?? [];
  const fallback = given === undefined ? undefined : literal(given);
  return {
    name: written.replace(/\?$/, ""),
    isRequired: !written.endsWith("?") && given === undefined,
    schema: {
      ...(types.has(type) && { type }),
      ...(description !== "" && { description }),
      ...(fallback && { default: fallback.value }),
    },
  };
}

const types = new Set(["string", "integer", "number", "boolean", "array", "object"]);

/** The parameters of `def name(…)` as text. */
function signature(source: string, name: string): readonly string[] {
  if (!/^[A-Za-z]\w*$/.test(name)) return [];
  const start = new RegExp(`^def\\s+${name}\\s*\\(`, "m").exec(source);
  if (!start) return [];
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const token of source.slice(start.index + start[0].length).match(tokens) ?? []) {
    if (depth === 0 && token === ")") break;
    if (depth === 0 && token === ",") {
      parts.push(part);
      part = "";
      continue;
    }
    if ("([{".includes(token)) depth++;
    if (")]}".includes(token)) depth--;
    if (!token.startsWith("#")) part += token;
  }
  return [...parts, part].map((each) => each.trim()).filter((each) => each !== "");
}

const tokens = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|#[^\n]*|[^"'#]/g;

function ownParameter(part: string): readonly Parameter[] {
  const [, name, given] = /^([A-Za-z_]\w*)\s*(?:=\s*(.*))?$/s.exec(part) ?? [];
  if (name === undefined) return []; // *args and **kwargs are only available in JSON mode
  const fallback = given === undefined ? undefined : literal(given);
  const type = typeof fallback?.value;
  const isKnown = type === "string" || type === "number" || type === "boolean";
  return [
    {
      name,
      isRequired: given === undefined,
      schema: { ...(isKnown && { type }), ...(fallback && { default: fallback.value }) },
    },
  ];
}

/** A Starlark literal, if JSON can express it. */
function literal(text: string): { readonly value: unknown } | undefined {
  const known = constants.get(text.trim());
  if (known) return known;
  const json = text.trim().replace(/^'((?:[^'"\\]|\\.)*)'$/s, '"$1"');
  try {
    return { value: JSON.parse(json) as unknown };
  } catch {
    return undefined;
  }
}

const constants: ReadonlyMap<string, { readonly value: unknown }> = new Map([
  ["True", { value: true }],
  ["False", { value: false }],
  ["None", { value: null }],
]);
