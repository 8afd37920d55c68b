import type { ValueOf } from "@biplane/core/internal";
import { described, enumOf, list, named, object, orNull, text, time } from "../../schema/builders.ts";
import type { Operations } from "../http/operation.ts";

const SearchResult = named(
  "SearchResult",
  object({
    kind: enumOf("tool", "call", "run", "approval", "episode", "audit"),
    id: described("The id in the routes of its kind; the sequence number of an audit entry", text),
    server: described("Of a tool, a call, an approval and an episode", orNull(text)),
    title: text,
    about: text,
    at: orNull(time),
  }),
);
export type SearchResult = ValueOf<typeof SearchResult>;

export const searchOperations = {
  "GET /api/search": {
    scope: "person",
    summary: "search tools, calls, runs, approvals, episodes and audit entries that you may see",
    query: object({ query: { type: "string", minLength: 2, maxLength: 200 } }),
    response: object({ results: described("At most 5 of each kind, newest first", list(SearchResult)) }),
  },
} as const satisfies Operations;
