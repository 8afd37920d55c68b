interface FoundTool {
  readonly name: string;
  readonly description: string | undefined;
}

/** Answers `search_tools` of a guest, whose query and limit may be anything. */
export function searchTools(
  index: { search(query: string, limit: number): readonly FoundTool[] },
  query: unknown,
  limit?: unknown,
): FoundTool[] {
  const text = typeof query === "string" ? query.slice(0, maxQueryLength) : "";
  const maxResults = typeof limit === "number" && limit >= 1 ? Math.min(Math.floor(limit), 100) : 10;
  return index.search(text, maxResults).map(({ name, description }) => ({ name, description }));
}

const maxQueryLength = 1000;
