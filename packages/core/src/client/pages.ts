import { BiplaneError } from "../errors.ts";
import type { Params } from "../protocol/rpc.ts";
import { listIn } from "./results.ts";

/** Reads all pages of a list, up to 1000. */
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
    if (seen.has(cursor) || seen.size > maxPages) {
      throw new BiplaneError(
        "EXECUTION_ERROR",
        `The server's list of ${list.key} does not end: a cursor repeats, or there are over ${maxPages} pages.`,
      );
    }
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
  return entries;
}

const maxPages = 1000;
