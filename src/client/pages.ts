import { BiplaneError } from "../errors.ts";
import type { Params } from "../protocol/rpc.ts";
import { listIn } from "./results.ts";

/** All pages of a list. A server that never comes to an end is stopped. */
export async function allPages<Entry>(
  request: (params: Params) => Promise<Params>,
  list: { readonly key: string; readonly texts: readonly string[] },
): Promise<Entry[]> {
  const entries: Entry[] = [];
  const seen = new Set<unknown>();
  let cursor: unknown;
  do {
    const result = await request(cursor === undefined ? {} : { cursor });
    for (const entry of listIn<Entry>(result, list.key, list.texts)) entries.push(entry);
    cursor = result["nextCursor"] ?? undefined;
    if (seen.has(cursor) || seen.size > mostPages) {
      throw new BiplaneError("EXECUTION_ERROR", `the server's list of ${list.key} does not end`);
    }
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
  return entries;
}

const mostPages = 1000;
