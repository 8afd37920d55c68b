import { closeObjects, errorCodes, isRecord } from "@biplane/core/internal";
import type { JsonObject } from "@biplane/core/internal";
import { described, enumOf, named, object, text } from "../../schema/builders.ts";
import type { Operation, Operations } from "../http/operation.ts";
import { mayOmitBody, routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { documentOperations } from "../overview/overview-api.ts";
import { scopes } from "./scopes.ts";

/** For `adminApiHandler({ describe })`: adds the route that describes all routes, including itself. */
export function describeApi(version: string): (routes: ApiRoutes) => ApiRoutes {
  return (routes) => {
    let document: JsonObject | undefined;
    return routesOf(documentOperations, {
      "GET /api/openapi.json": () => (document ??= openApiDocument({ ...routes, ...documentOperations }, version)),
    });
  };
}

/** The admin API as OpenAPI 3.1, from the declarations of its routes. */
function openApiDocument(operations: Operations, version: string): JsonObject {
  const schemas: Record<string, JsonObject> = {};
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const [key, operation] of Object.entries(operations)) {
    const [method = "", path = ""] = key.split(" ");
    const address = path.replaceAll(/:(\w+)/g, "{$1}");
    const described = operationObject(key, operation);
    (paths[address] ??= {})[method.toLowerCase()] = withReferences(described, schemas) as JsonObject;
  }
  return {
    openapi: "3.1.0",
    info: { title: "Biplane admin API", version, description },
    servers: [{ url: "/" }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        cookie: { type: "apiKey", in: "cookie", name: "biplane", description: "`__Host-biplane` over https" },
        bearer: { type: "http", scheme: "bearer", description: "A personal token, `biplane_p_…`" },
      },
    },
    "x-scopes": scopes,
  };
}

const description =
  "The API behind the admin page. Send changes as `application/json`, or with the header `X-Biplane`; cross-site " +
  "requests are rejected. A list is an object with the items and `next`. Pass `next` as `after` for the next page.";

/** Moves named schemas to `components`, so that each appears once. */
function withReferences(value: unknown, schemas: Record<string, JsonObject>): unknown {
  if (Array.isArray(value)) return value.map((each) => withReferences(each, schemas));
  if (!isRecord(value)) return value;
  const { title, ...rest } = value;
  const inner = Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, withReferences(each, schemas)]));
  // A property may be called `title`, but then it is a schema.
  if (typeof title !== "string")
    return title === undefined ? inner : { ...inner, title: withReferences(title, schemas) };
  schemas[title] = inner;
  return { $ref: `#/components/schemas/${title}` };
}

function operationObject(key: string, operation: Operation): JsonObject {
  const { scope, summary, body } = operation;
  const parameters = [...pathParameters(key), ...queryParameters(operation)];
  return {
    operationId: idOf(key),
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: !mayOmitBody(operation), content: json(closeObjects(body)) } }),
    responses: responsesOf(key, operation),
    security: scope === "anyone" ? [] : securityFor(scope),
  };
}

/** Required scopes. Empty if any credentials are enough. */
function securityFor(scope: string): JsonObject[] {
  const needed = scope === "person" ? [] : [scope];
  return [{ cookie: needed }, { bearer: needed }];
}

/** `GET /api/runs/:id/traces` is `getRunsIdTraces`. */
function idOf(key: string): string {
  const [method = "", path = ""] = key.split(" ");
  const words = path.split(/[^\w]+/).filter((word) => word !== "" && word !== "api");
  return [method.toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join("");
}

function pathParameters(key: string): JsonObject[] {
  return Array.from(key.matchAll(/:(\w+)/g), ([, name]) => ({ name, in: "path", required: true, schema: text }));
}

function queryParameters({ query }: Operation): JsonObject[] {
  return Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    ...(query?.required.includes(name) && { required: true }),
    schema,
  }));
}

function responsesOf(key: string, operation: Operation): JsonObject {
  const { response, events, errors, status = response || events ? 200 : 204 } = operation;
  const good = events
    ? stream(events)
    : { description: operation.summary, ...(response && { content: json(response) }) };
  const wrong: Readonly<Record<string, string>> = { ...usualErrors(key, operation.scope), ...errors };
  return { [status]: good, ...Object.fromEntries(Object.entries(wrong).map(problem)) };
}

function usualErrors(key: string, scope: string): Record<string, string> {
  return {
    400: "The request is invalid; the message says why",
    ...(scope === "anyone"
      ? key.startsWith("POST") && { 401: "The credentials are wrong" }
      : { 401: "Credentials are missing or invalid" }),
    403: "The person lacks the scope, or the request is cross-site",
    ...(key.includes("/:") && { 404: "Not found" }),
  };
}

const errorBody = named(
  "Error",
  object({ error: enumOf(...errorCodes), message: described("What went wrong and what to do", text) }),
);

function problem([status, why]: [string, string]): [string, JsonObject] {
  return [status, { description: why, content: json(errorBody) }];
}

/** OpenAPI 3.1 cannot describe events, so `x-events` has a schema for the data of each. */
function stream(events: Readonly<Record<string, JsonObject>>): JsonObject {
  return {
    description: "Server-sent events, named by topic, with JSON data",
    content: { "text/event-stream": { schema: text } },
    "x-events": events,
  };
}

function json(schema: JsonObject): JsonObject {
  return { "application/json": { schema } };
}
