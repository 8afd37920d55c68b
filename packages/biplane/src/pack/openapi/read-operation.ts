import { isRecord } from "@biplane/core/internal";
import type { JsonObject } from "@biplane/core/internal";
import type { ApiOperation, ApiParameter } from "./operation.ts";
import { followReference } from "./references.ts";
import { toolSchema } from "./tool-schema.ts";

export interface ReadOperationOptions {
  readonly document: Readonly<Record<string, unknown>>;
  readonly isVersion30: boolean;
  /** The path item, whose parameters hold for each of its operations. */
  readonly shared: Readonly<Record<string, unknown>>;
  readonly path: string;
  readonly method: ApiOperation["method"];
}

/** Reads one operation. Returns the reason if it cannot be a tool. */
export function readOperation(
  written: Readonly<Record<string, unknown>>,
  options: ReadOperationOptions,
): ApiOperation | string {
  const { document, shared, path, method } = options;
  if (!path.startsWith("/") || path.length > 1000) return "its path does not begin with /";
  const parameters = parametersOf([written["parameters"], shared["parameters"]], document);
  if (parameters.length > maxParameters) return `it has more than ${maxParameters} parameters`;
  const missing = [...path.matchAll(/\{([^{}]*)\}/g)].find(
    ([, name]) => !parameters.some((each) => each.in === "path" && each.name === name),
  );
  if (missing) return `the parameter ${missing[1]} of its path is not described`;
  const body = bodyOf(followReference(document, written["requestBody"]));
  if (typeof body === "string") return body;
  const names = new Map(parameters.map((each) => [each.argument, each]));
  if (body && names.has("body")) return "it has a parameter named body and a request body";
  const properties = Object.fromEntries([
    ...parameters.map(({ argument, schema }) => [argument, schema] as const),
    ...(body ? [["body", body.schema] as const] : []),
  ]);
  const required = [
    ...parameters.filter(({ isRequired }) => isRequired).map(({ argument }) => argument),
    ...(body?.isRequired ? ["body"] : []),
  ];
  const schema = { type: "object", properties, required, additionalProperties: false };
  return {
    name: nameOf(written["operationId"], options),
    method,
    path,
    title: shortText(written["summary"], 200) || `${method.toUpperCase()} ${path}`.slice(0, 200),
    description: descriptionOf(written, options),
    tags: listOf(written["tags"])
      .filter((each) => typeof each === "string")
      .map((each) => each.slice(0, 200))
      .slice(0, 20),
    parameters: parameters.map(({ schema: _schema, isRequired: _isRequired, ...parameter }) => parameter),
    bodyType: body?.type,
    input: toolSchema(schema, options),
    security: securityOf(written["security"] ?? document["security"]),
  };
}

const maxParameters = 100;

interface WrittenParameter extends ApiParameter {
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** Headers that a document must not set: they decide where a request goes, who sends it or how it is read. */
const reservedHeaders =
  /^(accept|authorization|connection|content-.*|cookie|expect|host|keep-alive|origin|proxy-.*|te|trailer|transfer-encoding|upgrade|via|x-forwarded-.*|forwarded)$/i;

/** Parameters of the operation come before those of its path, which they replace. */
function parametersOf(
  lists: readonly unknown[],
  document: Readonly<Record<string, unknown>>,
): readonly WrittenParameter[] {
  const found = new Map<string, WrittenParameter>();
  const names = new Set<string>();
  for (const each of lists.flatMap(listOf)) {
    const parameter = followReference(document, each);
    const { name, in: where, schema, style, explode, required, description, content } = parameter ?? {};
    if (typeof name !== "string" || name === "" || name.length > 200 || !isPlace(where)) continue;
    if (found.has(`${where} ${name}`) || (where === "header" && reservedHeaders.test(name))) continue;
    const argument = names.has(name) || name === "__proto__" ? `${name}_${where}` : name;
    names.add(argument);
    const [media] = Object.values(isRecord(content) ? content : {});
    const described = typeof description === "string" ? { description } : {};
    const type = isRecord(schema) ? schema : isRecord(media) && isRecord(media["schema"]) ? media["schema"] : {};
    found.set(`${where} ${name}`, {
      argument,
      name,
      in: where,
      isExploded: typeof explode === "boolean" ? explode : style === undefined || style === "form",
      isDeep: style === "deepObject",
      isRequired: required === true || where === "path",
      schema: typeof type["$ref"] === "string" ? { allOf: [type], ...described } : { ...described, ...type },
    });
  }
  return [...found.values()];
}

function isPlace(value: unknown): value is ApiParameter["in"] {
  return value === "path" || value === "query" || value === "header" || value === "cookie";
}

interface RequestBody {
  readonly type: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** Prefers JSON, then forms, then text. Returns the reason if the body has none of them. */
function bodyOf(written: Readonly<Record<string, unknown>> | undefined): RequestBody | string | undefined {
  if (!written) return undefined;
  const content = isRecord(written["content"]) ? written["content"] : {};
  const types = Object.keys(content);
  const type =
    types.find((each) => /^application\/([\w.-]+\+)?json\b/i.test(each)) ??
    types.find((each) => /^application\/x-www-form-urlencoded\b/i.test(each)) ??
    types.find((each) => /^text\/plain\b/i.test(each));
  if (type === undefined)
    return types.length === 0
      ? undefined
      : `its request body is ${types.slice(0, 3).join(", ")}, which is not supported`;
  const media = content[type];
  const schema = isRecord(media) && isRecord(media["schema"]) ? media["schema"] : {};
  return { type, schema, isRequired: written["required"] === true };
}

/** From the operation's id, or from its method and path. Tools' names have no other characters. */
function nameOf(id: unknown, { method, path }: ReadOperationOptions): string {
  const text = typeof id === "string" && id !== "" ? id : `${method} ${path}`;
  const name = text
    .replaceAll(/[^A-Za-z0-9_-]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .slice(0, 64);
  return name === "" ? method : name;
}

function descriptionOf(written: Readonly<Record<string, unknown>>, { method, path }: ReadOperationOptions): string {
  const parts = [shortText(written["summary"], 300), shortText(written["description"], 1500)].filter(
    (each) => each !== "",
  );
  const old = written["deprecated"] === true ? ["Deprecated."] : [];
  return [...old, ...parts, `${method.toUpperCase()} ${path}`].join("\n\n");
}

function securityOf(written: unknown): string[][] {
  return listOf(written)
    .filter(isRecord)
    .slice(0, 20)
    .map((each) => Object.keys(each).slice(0, 10));
}

function shortText(value: unknown, maxLength: number): string {
  return typeof value === "string" ? value.trim().slice(0, maxLength) : "";
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
