import { isRecord } from "@biplane/core/internal";
import { parseYaml } from "../../bounds/parse-yaml.ts";
import { JobLimitError } from "../shared/worker/answer-jobs.ts";
import type { ApiDescription, ApiOperation, SecurityScheme } from "./operation.ts";
import { httpMethods } from "./operation.ts";
import { readOperation } from "./read-operation.ts";
import { followReference } from "./references.ts";

export interface ApiDocumentJob {
  readonly text: string;
  readonly maxOperations: number;
}

/** Longer documents are refused. */
export const maxDocumentLength = 16 * 1024 * 1024;

/** Reads an OpenAPI document of version 3. Runs in a worker: the document may be hostile. */
export function readApiDocument({ text, maxOperations }: ApiDocumentJob): ApiDescription {
  const document = parse(text);
  if (!isRecord(document)) throw new JobLimitError("it is not an OpenAPI document");
  const { openapi: version, swagger } = document;
  if (swagger !== undefined)
    throw new JobLimitError(`it has version ${JSON.stringify(swagger).slice(0, 20)}; convert it to OpenAPI 3`);
  if (typeof version !== "string" || !/^3\.\d/.test(version))
    throw new JobLimitError("its openapi field does not name a version 3");
  const skipped: string[] = [];
  const operations = operationsOf(document, { isVersion30: version.startsWith("3.0"), skipped });
  if (operations.length > maxOperations)
    throw new JobLimitError(`it has ${operations.length} operations, and maxOperations is ${maxOperations}`);
  const info = isRecord(document["info"]) ? document["info"] : {};
  return {
    title: typeof info["title"] === "string" ? info["title"].slice(0, 200) : "API",
    servers: serversOf(document["servers"]),
    operations,
    schemes: schemesOf(document),
    skipped: skipped.slice(0, 100),
  };
}

function parse(text: string): unknown {
  if (text.length > maxDocumentLength) throw new JobLimitError(`it is longer than ${maxDocumentLength} characters`);
  if (/^\s*\{/.test(text)) {
    try {
      return JSON.parse(text);
    } catch {
      // YAML's flow style begins with a brace too.
    }
  }
  const limits = { maxLength: maxDocumentLength, maxDepth: 200, maxTokens: 4_000_000 };
  const parsed = parseYaml(text, limits);
  if (parsed.fault !== undefined) throw new JobLimitError(`it ${parsed.fault}`);
  const [document] = parsed.documents;
  const [error] = document?.errors ?? [];
  if (error) throw new JobLimitError(`it is not valid YAML: ${error.message.split("\n")[0] ?? ""}`);
  return document?.toJS({ maxAliasCount: 100 });
}

function operationsOf(
  document: Readonly<Record<string, unknown>>,
  { isVersion30, skipped }: { isVersion30: boolean; skipped: string[] },
): ApiOperation[] {
  const found: ApiOperation[] = [];
  const names = new Set<string>();
  for (const [path, item] of Object.entries(isRecord(document["paths"]) ? document["paths"] : {})) {
    const shared = followReference(document, item);
    for (const method of httpMethods) {
      const written = shared?.[method];
      if (!shared || !isRecord(written)) continue;
      const operation = readOperation(written, { document, isVersion30, shared, path, method });
      if (typeof operation === "string") skipped.push(`${method.toUpperCase()} ${path}: ${operation}`.slice(0, 300));
      else found.push({ ...operation, name: freeName(operation.name, names) });
    }
  }
  return found;
}

function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let at = 2; taken.has(free); at++) free = `${name.slice(0, 58)}_${at}`;
  taken.add(free);
  return free;
}

/** Variables in the address get their defaults. */
function serversOf(servers: unknown): string[] {
  return (Array.isArray(servers) ? servers.slice(0, 10) : []).filter(isRecord).map(({ url, variables }) =>
    String(url)
      .slice(0, 2000)
      .replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
        const variable = isRecord(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
        return isRecord(variable) ? String(variable["default"]) : whole;
      }),
  );
}

function schemesOf(document: Readonly<Record<string, unknown>>): Record<string, SecurityScheme> {
  const components = isRecord(document["components"]) ? document["components"] : {};
  const written = isRecord(components["securitySchemes"]) ? components["securitySchemes"] : {};
  return Object.fromEntries(
    Object.entries(written).flatMap(([name, value]) => {
      const scheme = schemeOf(followReference(document, value) ?? {});
      return scheme ? [[name, scheme]] : [];
    }),
  );
}

function schemeOf({ type, scheme, in: where, name }: Readonly<Record<string, unknown>>): SecurityScheme | undefined {
  if (type === "oauth2" || type === "openIdConnect") return { kind: "bearer" };
  if (type === "http") return { kind: String(scheme).toLowerCase() === "basic" ? "basic" : "bearer" };
  if (type !== "apiKey" || typeof name !== "string") return undefined;
  return where === "header" || where === "query" || where === "cookie" ? { kind: where, name } : undefined;
}
