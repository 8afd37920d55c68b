import type { JsonObject } from "../../tool/schema.ts";

/** What a route is for, beside what the route itself says: its scope. */
export interface Operation {
  /** One phrase, also for the table in docs/api.md. */
  readonly summary: string;
  /** What the query may say, by name; `after` and `limit` come with `isPaged`. */
  readonly query?: Readonly<Record<string, JsonObject>>;
  /** Of those, the ones that must be there. */
  readonly mustSay?: readonly string[];
  readonly isPaged?: true;
  readonly body?: JsonObject;
  /** Whether the body may be left out. */
  readonly isBodyOptional?: true;
  /** What a good answer holds: nothing, where it is left out. */
  readonly answer?: JsonObject;
  /** 200 with an answer, 204 without, unless it says otherwise. */
  readonly status?: number;
  /** The answer is a stream of events, each with data like this. */
  readonly events?: Readonly<Record<string, JsonObject>>;
  /** What else may go wrong, by status: the usual things need no word. */
  readonly errors?: Readonly<Record<number, string>>;
}

/** Descriptions by the same keys that the router has. */
export type Operations = Readonly<Record<string, Operation>>;
