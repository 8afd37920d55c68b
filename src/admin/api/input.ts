import { BiplaneError } from "../../errors.ts";
import type { DoorRequest } from "../../server/doors.ts";

/** The fields of a body. One that nobody asked for is refused, so that a misspelt one is not silently left out. */
export function fieldsOf<Key extends string>(body: unknown, keys: readonly Key[]): { readonly [K in Key]?: unknown } {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new BiplaneError("INVALID_INPUT", "The body must be a JSON object");
  const unknown = Object.keys(body).find((key) => !(keys as readonly string[]).includes(key));
  if (unknown === undefined) return body;
  throw new BiplaneError(
    "INVALID_INPUT",
    `Unknown key ${JSON.stringify(unknown.slice(0, 80))}; use ${keys.join(", ")}`,
  );
}

export function textIn(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  throw new BiplaneError("INVALID_INPUT", `${name} must be a string`);
}

/** Which part of a list is asked for. */
export interface PageQuery {
  readonly after: string | undefined;
  readonly limit: number;
}

export function pageOf({ query }: DoorRequest): PageQuery {
  return { after: query.get("after") ?? undefined, limit: wholeIn(query, "limit", { least: 1, most: 1000 }) ?? 100 };
}

export function wholeIn(
  query: URLSearchParams,
  name: string,
  { least, most }: { least: number; most: number },
): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const number = Number(text);
  if (/^\d{1,15}$/.test(text) && number >= least && number <= most) return number;
  throw new BiplaneError("INVALID_INPUT", `${name} must be a whole number from ${least} to ${most}`);
}

/** A value of the query that must be one of a few. */
export function oneOf<Value extends string>(
  query: URLSearchParams,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const text = query.get(name);
  if (text === null || (values as readonly string[]).includes(text)) return (text as Value | null) ?? undefined;
  throw new BiplaneError("INVALID_INPUT", `${name} must be one of ${values.join(", ")}`);
}

/** The values of the query that are there, of these. */
export function wanted<Name extends string>(
  query: URLSearchParams,
  names: readonly Name[],
): { readonly [N in Name]?: string } {
  const given = names.flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given) as { readonly [N in Name]?: string };
}

/** A page of a list that is in memory, in the order of its keys. */
export function pageFrom<Entry>(
  entries: readonly Entry[],
  key: (entry: Entry) => string,
  { after, limit }: PageQuery,
): { page: readonly Entry[]; next: string | null } {
  const sorted = [...entries].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const from = after === undefined ? sorted : sorted.filter((entry) => key(entry) > after);
  const page = from.slice(0, limit);
  const last = page.at(-1);
  return { page, next: last !== undefined && from.length > limit ? key(last) : null };
}
