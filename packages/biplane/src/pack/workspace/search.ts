import { reply, text, tool } from "@biplane/core";
import type { Call, Reply, Tool } from "@biplane/core";
import { glob } from "../shared/files/glob.ts";
import type { Root } from "../shared/files/root.ts";
import { searchText } from "../shared/files/search-text.ts";
import { optionalWorkspacePathField } from "./fields.ts";

export function workspaceSearchTool(root: Root): Tool {
  return tool({
    name: "workspace_search",
    title: "Search files",
    description:
      "Find lines that contain a literal text (no regular expressions) in the text files below a folder of the workspace.",
    input: {
      type: "object",
      required: ["query"],
      properties: {
        query: { type: "string", minLength: 1, maxLength: 1000, description: "The text to find" },
        path: optionalWorkspacePathField,
        glob: { type: "string", description: "Only search matching files, such as *.ts or docs/**/*.{md,txt}" },
        case_sensitive: { type: "boolean", default: false },
        max_results: { type: "integer", minimum: 1, maximum: 1000, default: 100 },
      },
    },
    output: {
      type: "object",
      required: ["matches", "truncated", "files_searched"],
      properties: {
        matches: {
          type: "array",
          items: {
            type: "object",
            required: ["path", "line", "text"],
            properties: { path: { type: "string" }, line: { type: "integer" }, text: { type: "string" } },
          },
        },
        truncated: { type: "boolean", description: "True if there may be more matches" },
        files_searched: { type: "integer" },
      },
    },
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: (input, call) => search(root, { ...(input as SearchInput), call }),
  });
}

type SearchInput = {
  readonly query: string;
  readonly path?: string;
  readonly glob?: string;
  readonly case_sensitive?: boolean;
  readonly max_results?: number;
};

async function search(root: Root, input: SearchInput & { call: Call }): Promise<Reply> {
  const { query, path = "", case_sensitive: isCaseSensitive = false, max_results: maxResults = 100, call } = input;
  const matches = input.glob === undefined ? undefined : glob(input.glob, { anywhere: true });
  await using location = await root.find(path);
  const found = await searchText(location, {
    query,
    isCaseSensitive,
    maxResults,
    redact: (...part) => call.redact(...part),
    signal: call.signal,
    ...(matches && { matches }),
  });
  const shown = found.matches.map(({ names, line, text }) => ({
    path: [location.shown, ...names].join("/"),
    line,
    text,
  }));
  const lines = shown.map(({ path, line, text }) => `${path}:${line}: ${text}`);
  if (found.isCut) lines.push("… and possibly more. Narrow the search with path or glob.");
  return reply(text(lines.join("\n") || `No matches in ${found.filesSearched} files.`), {
    structured: { matches: shown, truncated: found.isCut, files_searched: found.filesSearched },
  });
}
