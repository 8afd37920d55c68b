import type { Call } from "../../tool/call.ts";
import { reply, text } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { quote } from "../files/parse-path.ts";
import { linesWith } from "../files/search-text.ts";
import { pathField } from "./fields.ts";
import { faultField, freshen } from "./fresh.ts";
import type { KnownNote } from "./notes.ts";
import type { Vault } from "./pack.ts";

export function searchTool(vault: Vault): Tool {
  return tool({
    name: "vault_search",
    title: "Search notes",
    description:
      "Find notes that hold a text, or all of its words; titles and tags count most. #tag finds notes with that tag. " +
      "Answers with the lines that were found.",
    input: {
      type: "object",
      required: ["query"],
      properties: {
        query: { type: "string", minLength: 1, maxLength: 500 },
        path: { ...pathField, description: "Only notes below this folder" },
        max_results: { type: "integer", minimum: 1, maximum: 200, default: 20 },
      },
    },
    output: {
      type: "object",
      required: ["matches", "total", "truncated"],
      properties: {
        matches: {
          type: "array",
          items: {
            type: "object",
            required: ["path", "title", "tags", "excerpts"],
            properties: {
              path: { type: "string" },
              title: { type: "string" },
              tags: { type: "array", items: { type: "string" } },
              excerpts: {
                type: "array",
                items: {
                  type: "object",
                  required: ["line", "text"],
                  properties: { line: { type: "integer" }, text: { type: "string" } },
                },
              },
            },
          },
        },
        total: { type: "integer", description: "How many notes were found, shown or not" },
        truncated: { type: "boolean", description: "Whether the vault holds more notes than could be searched" },
        sync_error: faultField,
      },
    },
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: true },
    run: (input, call) => search(vault, input as SearchInput, call),
  });
}

type SearchInput = { readonly query: string; readonly path?: string; readonly max_results?: number };

async function search(vault: Vault, input: SearchInput, call: Call): Promise<Reply> {
  const { query, path = "", max_results: most = 20 } = input;
  const below = vault.root
    .parse(path)
    .map((name) => `${name}/`)
    .join("");
  const { fault, notes: hints } = await freshen(vault, call);
  await vault.notes.refresh();
  const found = findNotes(vault, query).filter((path) => path.startsWith(below));
  const matches = found.slice(0, most).flatMap((path) => {
    const note = vault.notes.all.get(path);
    return note
      ? [{ path: vault.root.show([path]), title: note.title, tags: note.tags, excerpts: excerptsOf(note, query) }]
      : [];
  });
  const shown = matches.map(({ path, excerpts }) =>
    [path, ...excerpts.map(({ line, text }) => `  ${line}: ${text}`)].join("\n"),
  );
  const head = `Found in ${found.length} ${found.length === 1 ? "file" : "files"}:`;
  return reply(
    [text(found.length === 0 ? `No files containing ${quote(query)}` : [head, ...shown].join("\n")), ...hints],
    {
      structured: {
        matches,
        total: found.length,
        truncated: vault.notes.isCut,
        ...(fault !== undefined && { sync_error: fault }),
      },
    },
  );
}

/** By words, then whatever else holds the text letter for letter: parts of words, and scripts without spaces. */
function findNotes({ notes }: Vault, query: string): string[] {
  const wanted = query.trim().toLowerCase();
  if (/^#[\p{L}\p{N}_/-]+$/u.test(wanted)) {
    const tag = wanted.slice(1);
    const isTagged = ({ tags }: KnownNote) =>
      tags.some((one) => one.toLowerCase() === tag || one.toLowerCase().startsWith(`${tag}/`));
    return [...notes.all]
      .filter(([, note]) => isTagged(note))
      .map(([path]) => path)
      .sort();
  }
  const holding = [...notes.all].filter(([, { text }]) => text.toLowerCase().includes(wanted)).map(([path]) => path);
  return [...new Set([...notes.rank(query), ...holding.sort()])];
}

const mostExcerpts = 3;

function excerptsOf({ text }: KnownNote, query: string): { line: number; text: string }[] {
  for (const wanted of [query.trim(), ...query.split(/[\s#]+/)]) {
    const lines = [...linesWith(text, { query: wanted })].slice(0, mostExcerpts);
    if (lines.length > 0) return lines;
  }
  return [];
}
