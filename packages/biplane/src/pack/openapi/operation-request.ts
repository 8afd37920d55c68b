import { BiplaneError } from "@biplane/core";
import { isRecord } from "@biplane/core/internal";
import type { ApiOperation, ApiParameter } from "./operation.ts";

/** Makes a request for the network guard of a tool's arguments. They cannot leave the path of the operation. */
export function operationRequest(operation: ApiOperation, input: Readonly<Record<string, unknown>>, baseUrl: string) {
  const given = operation.parameters.flatMap((parameter) => {
    const value = Object.hasOwn(input, parameter.argument) ? input[parameter.argument] : undefined;
    return value === undefined || value === null ? [] : [{ parameter, value }];
  });
  const inPlace = (place: ApiParameter["in"]) => given.filter(({ parameter }) => parameter.in === place);
  const segments = new Map(inPlace("path").map(({ parameter: { name }, value }) => [name, pathSegment(name, value)]));
  const path = operation.path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const segment = segments.get(name);
    if (segment !== undefined) return segment;
    throw new BiplaneError("INVALID_INPUT", `${name} needs a value, because it is part of the path ${operation.path}.`);
  });
  const url = new URL(baseUrl);
  url.pathname = url.pathname.replace(/\/+$/, "") + path;
  // Set at once: each change of a URL's parameters writes all of them again.
  const query = new URLSearchParams(url.search);
  for (const { parameter, value } of inPlace("query"))
    for (const [name, text] of pairsOf(parameter, value)) query.append(name, text);
  url.search = query.toString();
  if (url.href.length > maxUrlLength)
    throw new BiplaneError("INVALID_INPUT", `The address of the request is longer than ${maxUrlLength} characters.`);
  const headers = Object.fromEntries(
    inPlace("header").map(({ parameter: { name }, value }) => [name.toLowerCase(), headerText(name, joined(value))]),
  );
  const cookies = inPlace("cookie").map(
    ({ parameter: { name }, value }) => `${name}=${encodeURIComponent(joined(value))}`,
  );
  const { method } = operation;
  return {
    url: url.href,
    method: method.toUpperCase(),
    headers: {
      accept: "application/json, */*;q=0.5",
      ...headers,
      ...(cookies.length > 0 && { cookie: cookies.join("; ") }),
    },
    ...bodyOf(operation.bodyType, input["body"]),
  };
}

/** Servers accept no longer ones. */
const maxUrlLength = 65_536;

/** Dots would change the path, whatever they are escaped to. */
function pathSegment(name: string, value: unknown): string {
  const text = joined(value);
  if (text === "" || /^\.{1,2}$/.test(text))
    throw new BiplaneError("INVALID_INPUT", `${name} cannot be ${JSON.stringify(text)}, because it is part of a path.`);
  return encodeURIComponent(text);
}

function pairsOf({ name, isExploded, isDeep }: ApiParameter, value: unknown): [string, string][] {
  if (Array.isArray(value))
    return isExploded ? value.map((each) => [name, textOf(each)]) : [[name, value.map(textOf).join(",")]];
  if (!isRecord(value)) return [[name, textOf(value)]];
  const members = Object.entries(value);
  if (isDeep) return members.map(([key, each]) => [`${name}[${key}]`, textOf(each)]);
  if (isExploded) return members.map(([key, each]) => [key, textOf(each)]);
  return [[name, members.flatMap(([key, each]) => [key, textOf(each)]).join(",")]];
}

/** Lists and objects with commas, as OpenAPI's `simple` style has them. */
function joined(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(",");
  if (isRecord(value))
    return Object.entries(value)
      .flatMap(([key, each]) => [key, textOf(each)])
      .join(",");
  return textOf(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function headerText(name: string, text: string): string {
  if (/^[\t\u0020-\u007E\u0080-\u00FF]*$/.test(text)) return text;
  throw new BiplaneError("INVALID_INPUT", `${name} has characters that a header cannot have.`);
}

function bodyOf(type: string | undefined, body: unknown): { body?: string } {
  if (type === undefined || body === undefined) return {};
  if (/json\b/i.test(type)) return { body: JSON.stringify(body) };
  if (!/form-urlencoded/i.test(type)) return { body: textOf(body) };
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(isRecord(body) ? body : {}))
    for (const each of Array.isArray(value) ? value : [value]) fields.append(name, textOf(each));
  return { body: fields.toString() };
}
