import type { EndpointResponse, JsonObject, ValueOf } from "@biplane/core/internal";
import { described, list, object, orNull, text } from "../../schema/builders.ts";
import type { Members } from "../../schema/builders.ts";

/**
 * The declaration of a route. Its handler's types, the check of its requests, its OpenAPI and the page's client follow
 * from it. Unknown keys of the query and of the body are rejected.
 */
export interface Operation {
  /** Required scope. `person`: any credentials. `anyone`: none. */
  readonly scope: string;
  /** A short phrase, also used in docs/api.md. */
  readonly summary: string;
  readonly query?: { readonly type: "object"; readonly properties: Members; readonly required: readonly string[] };
  /** May be omitted if no member is required. */
  readonly body?: JsonObject;
  /** Schema of the successful response (default: no content). */
  readonly response?: JsonObject;
  /** Default: 200 with a response, 204 without. */
  readonly status?: number;
  /** The response is an event stream with these data schemas. */
  readonly events?: Members;
  /** More errors by status, in addition to the usual ones. */
  readonly errors?: Readonly<Record<number, string>>;
}

/** Declarations by `METHOD /path/:parameter`. */
export type Operations = Readonly<Record<string, Operation>>;

export const pageLimit = { type: "integer", minimum: 1, maximum: 1000, default: 100 } as const;

const paging = { after: described("The `next` value of the previous page", text), limit: pageLimit } as const;

/** The query of a paged list. */
export const pageQuery = object({}, paging);

/** The same with filters. */
export function filteredPage<const Filters extends Members>(filters: Filters) {
  return object({}, { ...filters, ...paging });
}

/** The response of a paged list. */
export function pageOf<const Name extends string, const Items extends JsonObject>(name: Name, items: Items) {
  const found = { [name]: list(items) } as { readonly [Key in Name]: ReturnType<typeof list<Items>> };
  return object({ ...found, next: described("Value for `after`; null on the last page", orNull(text)) });
}

/** What a handler returns. */
export type ResponseOf<Op> = Op extends { readonly events: object }
  ? NonNullable<EndpointResponse["events"]>
  : Op extends { readonly response: infer Schema }
    ? ValueOf<Schema>
    : void;

/** A query or body as the handler sees it, with defaults. */
export type QueryOf<Op> = Op extends { readonly query: infer Schema } ? ValueOf<Schema, true> : undefined;
export type BodyOf<Op> = Op extends { readonly body: infer Schema } ? ValueOf<Schema, true> : undefined;

/** The query that a client sends. Empty values are omitted; only the server knows which texts it accepts. */
export type QuerySent<Op> = Op extends { readonly query: infer Schema }
  ? MaybeOptional<"query", Sent<ValueOf<Schema>>>
  : unknown;
type Sent<Query> = {
  readonly [Name in keyof Query]:
    | (Query[Name] extends string | undefined ? string : Query[Name] | string)
    | null
    | undefined;
};

/** The body that a client sends. */
export type BodySent<Op> = Op extends { readonly body: infer Schema }
  ? MaybeOptional<"body", ValueOf<Schema>>
  : unknown;

type MaybeOptional<Name extends string, Value> = object extends Value
  ? { readonly [Key in Name]?: Value }
  : { readonly [Key in Name]: Value };

/** The parameters in a path, such as `id` in `/api/runs/:id`. */
export type PathParameters<Path extends string> = { readonly [Name in ParameterName<Path>]: string };

type ParameterName<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterName<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
