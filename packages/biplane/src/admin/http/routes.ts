import { errorResponse } from "@biplane/core/internal";
import type { EndpointRequest, EndpointResponse, JsonObject } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { Principal } from "@biplane/core";
import { valueReader } from "../../schema/value-reader.ts";
import type { BodyOf, Operation, Operations, PathParameters, QueryOf, ResponseOf } from "./operation.ts";

/** A declared route with its handler. */
export interface ApiRoute extends Operation {
  run(request: RouteRequest): Promise<EndpointResponse>;
}

/** Routes by `METHOD /path/:parameter`. */
export type ApiRoutes = Readonly<Record<string, ApiRoute>>;

/** A request to a route, before it is checked. */
export interface RouteRequest {
  readonly request: EndpointRequest;
  readonly parameters: Readonly<Record<string, string>>;
  /** The person who makes the request. */
  readonly by: Principal;
  /** The session id, if it came with a cookie. */
  readonly session: string | undefined;
  /**
   * Checks the credentials again, for responses that stay open. Undefined once they are no longer valid. Does not
   * extend the session.
   */
  readonly recheckPrincipal: () => Promise<Principal | undefined>;
}

/** A checked request, as its handler sees it. */
export interface ApiRequest<Key extends string, Op> extends RouteRequest {
  readonly parameters: PathParameters<Key>;
  readonly query: QueryOf<Op>;
  readonly body: BodyOf<Op>;
  /** Headers of the response. */
  readonly responseHeaders: Record<string, string>;
}

/** An error that the person sees, whatever its code. Return it where an error may be of the program, too. */
export class ApiFailure {
  readonly error: BiplaneError;

  constructor(error: BiplaneError) {
    this.error = error;
  }
}

/** What a request names. If it is not there, the person sees the message. */
export function mustExist<Value>(value: Value | false | undefined, message: string): Value {
  if (value === undefined || value === false) throw new BiplaneError("NOT_FOUND", message);
  return value;
}

export type Handlers<Ops extends Operations> = {
  readonly [Key in keyof Ops & string]: (request: ApiRequest<Key, Ops[Key]>) => HandlerResult<ResponseOf<Ops[Key]>>;
};

type HandlerResult<Response> = Response | ApiFailure | Promise<Response | ApiFailure>;

/** Joins declarations with their handlers. */
export function routesOf<const Ops extends Operations>(operations: Ops, handlers: Handlers<Ops>): ApiRoutes {
  const entries = Object.entries(operations).map(([key, operation]): [string, ApiRoute] => {
    const handler = handlers[key] as (request: ApiRequest<string, Operation>) => HandlerResult<unknown>;
    return [key, routeOf(operation, handler)];
  });
  return Object.fromEntries(entries);
}

function routeOf(
  operation: Operation,
  handler: (request: ApiRequest<string, Operation>) => HandlerResult<unknown>,
): ApiRoute {
  const readQuery = queryReader(operation.query ?? noQuery);
  const readBody = operation.body && valueReader(operation.body, { whole: "The body", code: "INVALID_INPUT" });
  return {
    ...operation,
    async run(given) {
      const { query, body } = given.request;
      const responseHeaders: Record<string, string> = {};
      const result = await handler({
        ...given,
        query: readQuery(query),
        body: readBody?.(body === undefined && mayOmitBody(operation) ? {} : body) as never,
        responseHeaders,
      });
      if (result instanceof ApiFailure) return errorResponse(result.error);
      const headers = Object.keys(responseHeaders).length > 0 && { headers: responseHeaders };
      if (operation.events) return { status: 200, events: result as NonNullable<EndpointResponse["events"]> };
      const { response, status = response ? 200 : 204 } = operation;
      return { status, ...(response && { body: result }), ...headers };
    },
  };
}

const noQuery = { type: "object", properties: {} };

export function mayOmitBody({ body }: Operation): boolean {
  return Array.isArray(body?.["required"]) && body["required"].length === 0;
}

/** Numbers arrive as text. What is not written like one stays text, which the schema then rejects. */
function queryReader(schema: JsonObject): (query: URLSearchParams) => never {
  const read = valueReader(schema, { whole: "The query", code: "INVALID_INPUT" });
  const properties = schema["properties"] as Readonly<Record<string, JsonObject>>;
  const parse = (name: string, text: string) => {
    const type = Object.hasOwn(properties, name) ? properties[name]?.["type"] : undefined;
    const isNumber = (type === "integer" && /^\d{1,15}$/.test(text)) || (type === "number" && isDecimal(text));
    return isNumber ? Number(text) : text;
  };
  return (query) => {
    if (query.size > maxQuerySize)
      throw new BiplaneError("INVALID_INPUT", `A query has at most ${maxQuerySize} parameters.`);
    const given = new Map<string, unknown>();
    for (const [name, text] of query) if (!given.has(name)) given.set(name, parse(name, text)); // The first one counts.
    return read(Object.fromEntries(given)) as never;
  };
}

const maxQuerySize = 100;

function isDecimal(text: string): boolean {
  return text.trim() !== "" && text.length <= 40 && Number.isFinite(Number(text));
}
