import { reply, text } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { glob } from "../files/glob.ts";
import type { Root } from "../files/root.ts";
import { searchText } from "../files/search-text.ts";
import { optionalPathField } from "./fields.ts";

export function searchTool(root: Root): Tool {
  return tool({
    name: "workspace_search",
    title: "Search files",
    description:
      "Find lines that hold a text, letter for letter (no regular expressions), in the text files below a folder of the workspace.",
    input: {
      type: "object",
      required: ["query"],
      properties: {
        query: { type: "string", minLength: 1, maxLength: 1000, description: "The text to look for" },
        path: optionalPathField,
        glob: { type: "string", description: "Only files that fit, such as *.ts or docs/**/*.{md,txt}" },
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
        truncated: { type: "boolean", description: "Whether there may be more than was found" },
        files_searched: { type: "integer" },
      },
    },
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: (input, call) => search(root, { ...(input as SearchInput), signal: call.signal }),
  });
}

type SearchInput = {
  readonly query: string;
  readonly path?: string;
  readonly glob?: string;
  readonly case_sensitive?: boolean;
  readonly max_results?: number;
};

async function search(root: Root, input: SearchInput & { signal: AbortSignal }): Promise<Reply> {
  const { query, path = "", case_sensitive: isCaseSensitive = false, max_results: maxResults = 100, signal } = input;
  const matches = input.glob === undefined ? undefined : glob(input.glob, { anywhere: true });
  await using place = await root.find(path);
  const found = await searchText(place, { query, isCaseSensitive, maxResults, signal, ...(matches && { matches }) });
  const shown = found.matches.map(({ names, line, text }) => ({ path: [place.shown, ...names].join("/"), line, text }));
  const lines = shown.map(({ path, line, text }) => `${path}:${line}: ${text}`);
  if (found.isCut) lines.push("… and perhaps more: narrow the search with path or glob");
  return reply(text(lines.join("\n") || `Nothing found in ${found.filesSearched} files`), {
    structured: { matches: shown, truncated: found.isCut, files_searched: found.filesSearched },
  });
}
