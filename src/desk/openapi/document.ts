import type { Route, Routes } from "../../admin/api/router.ts";
import { found } from "../../admin/api/answers.ts";
import type { JsonObject } from "../../tool/schema.ts";
import { governOperations } from "./govern-operations.ts";
import { governSchemas } from "./govern-schemas.ts";
import { houseOperations } from "./house-operations.ts";
import { houseSchemas } from "./house-schemas.ts";
import type { Operation, Operations } from "./operation.ts";
import { playOperations } from "./play-operations.ts";
import { playSchemas } from "./play-schemas.ts";
import { about, ref, text } from "./schema.ts";
import { scopes } from "./scopes.ts";

/** Every route there is a word for. A server has those it has parts for. */
export const operations: Operations = { ...houseOperations, ...playOperations, ...governOperations };

/** For `peopleApi({ describe })`: the route that describes all routes, itself among them. */
export function describeApi(version: string): (routes: Routes) => Routes {
  return (routes) => {
    let document: JsonObject | undefined;
    const own: Route = { scope: "person", run: () => found((document ??= openApiDocument(all, version))) };
    const all: Routes = { ...routes, [ownPath]: own };
    return { [ownPath]: own };
  };
}

const ownPath = "GET /api/openapi.json";

/** The people's API as OpenAPI 3.1: what the routes say of themselves, and the words that are written for them. */
function openApiDocument(routes: Routes, version: string): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const [key, { scope }] of Object.entries(routes)) {
    const [method = "", path = ""] = key.split(" ");
    const address = path.replaceAll(/:(\w+)/g, "{$1}");
    (paths[address] ??= {})[method.toLowerCase()] = operationObject(key, scope, operations[key]);
  }
  return {
    openapi: "3.1.0",
    info: { title: "Biplane, the people's API", version, description },
    servers: [{ url: "/" }],
    paths,
    components: {
      schemas: { ...houseSchemas, ...playSchemas, ...governSchemas },
      securitySchemes: {
        cookie: { type: "apiKey", in: "cookie", name: "biplane", description: "`__Host-biplane` over https" },
        bearer: { type: "http", scheme: "bearer", description: "A person's own token, `biplane_p_…`" },
      },
    },
    "x-scopes": scopes,
  };
}

const description =
  "What people see and do. A change is sent as `application/json`, or with the header `X-Biplane`; other sites' pages " +
  "are refused. A list is an object with the things and `next`, which goes into `after`.";

function operationObject(key: string, scope: string, operation: Operation | undefined): JsonObject {
  const { summary = key, body, isBodyOptional } = operation ?? {};
  const parameters = [...pathParameters(key), ...(operation ? queryParameters(operation) : [])];
  return {
    operationId: idOf(key),
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: isBodyOptional !== true, content: json(body) } }),
    responses: responsesOf(key, scope, operation ?? { summary }),
    security: scope === "anyone" ? [] : securityFor(scope),
  };
}

/** Names in the list are what the person must have; none, where being a person is enough. */
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

function queryParameters({ query = {}, mustSay = [], isPaged }: Operation): JsonObject[] {
  const all = { ...query, ...(isPaged && paging) };
  return Object.entries(all).map(([name, schema]) => ({
    name,
    in: "query",
    ...(mustSay.includes(name) && { required: true }),
    schema,
  }));
}

const paging = {
  after: about("What `next` said on the page before", text),
  limit: { type: "integer", minimum: 1, maximum: 1000, default: 100 },
};

function responsesOf(key: string, scope: string, operation: Operation): JsonObject {
  const { answer, events, errors = {}, status = answer || events ? 200 : 204 } = operation;
  const good = events ? stream(events) : { description: operation.summary, ...(answer && { content: json(answer) }) };
  const wrong: Readonly<Record<string, string>> = { ...usualErrors(key, scope, operation), ...errors };
  return { [status]: good, ...Object.fromEntries(Object.entries(wrong).map(problem)) };
}

function usualErrors(key: string, scope: string, operation: Operation): Record<string, string> {
  const canBeWrong = !key.startsWith("GET") || operation.isPaged || operation.query !== undefined;
  return {
    ...(canBeWrong && { 400: "Something in the request is wrong, and the message says what" }),
    ...(scope === "anyone" ? key.startsWith("POST") && { 401: "The credentials are wrong" } : { 401: "Log in first" }),
    403: "The person lacks the scope, or the request is another site's",
    ...(key.includes("/:") && { 404: "There is no such thing" }),
  };
}

function problem([status, why]: [string, string]): [string, JsonObject] {
  return [status, { description: why, content: json(ref("Error")) }];
}

/** OpenAPI 3.1 has no word for events: `x-events` has a schema for the data of each. */
function stream(events: Readonly<Record<string, JsonObject>>): JsonObject {
  return {
    description: "Events, named by topic, with JSON as data, until the reader leaves",
    content: { "text/event-stream": { schema: text } },
    "x-events": events,
  };
}

function json(schema: JsonObject): JsonObject {
  return { "application/json": { schema } };
}
