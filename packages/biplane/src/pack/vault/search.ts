import type { Call, Reply, Tool } from "@biplane/core";
import { reply, text, tool } from "@biplane/core";
import { findText, Turns } from "@biplane/core/internal";
import { quote } from "../shared/files/parse-path.ts";
import { foldCase, linesWith } from "../shared/files/search-text.ts";
import { vaultPathField } from "./fields.ts";
import { syncErrorField, pullBeforeRead } from "./pull-before-read.ts";
import { nameOf } from "./note.ts";
import type { KnownNote } from "./notes.ts";
import type { Vault } from "./pack.ts";

export function vaultSearchTool(vault: Vault): Tool {
  return tool({
    name: "vault_search",
    title: "Search notes",
    description:
      "Find notes that contain a text or all of its words. Titles and tags rank highest. #tag finds notes with that tag. " +
      "Returns matching lines.",
    input: {
      type: "object",
      required: ["query"],
      properties: {
        query: { type: "string", minLength: 1, maxLength: 500 },
        path: { ...vaultPathField, description: "Only notes below this folder" },
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
        total: { type: "integer", description: "Total number of matching notes" },
        truncated: { type: "boolean", description: "True if the vault has more notes than could be searched" },
        sync_error: syncErrorField,
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
  const { query, path = "", max_results: maxResults = 20 } = input;
  const below = vault.root
    .parse(path)
    .map((name) => `${name}/`)
    .join("");
  const { fault, notes: warnings } = await pullBeforeRead(vault, call);
  await vault.notes.refresh();
  const turns = new Turns();
  const search = { query, turns, redact: (text: string) => call.redact(text) };
  const found = (await findNotes(vault, search)).filter((path) => path.startsWith(below));
  const matches = [];
  for (const path of found.slice(0, maxResults)) {
    const note = vault.notes.all.get(path);
    if (!note) continue;
    const { title, tags } = note;
    const excerpts = await excerptsOf(call.redact(note.text), search);
    matches.push({ path: vault.root.show([path]), title, tags, excerpts });
  }
  const shown = matches.map(({ path, excerpts }) =>
    [path, ...excerpts.map(({ line, text }) => `  ${line}: ${text}`)].join("\n"),
  );
  const head = `Found in ${found.length} ${found.length === 1 ? "file" : "files"}:`;
  return reply(
    [text(found.length === 0 ? `No files containing ${quote(query)}` : [head, ...shown].join("\n")), ...warnings],
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

/** The notes with a tag, or with all words of the query, best first. */
async function findNotes({ notes }: Vault, search: NoteSearch): Promise<string[]> {
  const { query, turns } = search;
  const wanted = query.trim().toLowerCase();
  const scoreOf = /^#[\p{L}\p{N}_/-]+$/u.test(wanted) ? tagScore(wanted.slice(1)) : wordScore(search);
  const found: { readonly path: string; readonly score: number }[] = [];
  for (const [path, note] of notes.all) {
    const score = scoreOf(note, path);
    if (score > 0) found.push({ path, score });
    await turns.next();
  }
  return found
    .sort((one, other) => other.score - one.score || (one.path < other.path ? -1 : 1))
    .map(({ path }) => path);
}

interface NoteSearch {
  readonly query: string;
  readonly turns: Turns;
  /** Applied before the search, so that a query finds out nothing about a secret. */
  readonly redact: (text: string) => string;
}

type Score = (note: KnownNote, path: string) => number;

function tagScore(tag: string): Score {
  return ({ tags }) => {
    const isTagged = tags.some((one) => one.toLowerCase() === tag || one.toLowerCase().startsWith(`${tag}/`));
    return isTagged ? 1 : 0;
  };
}

/** Parts of words count too, which finds text in scripts without spaces. */
function wordScore({ query, redact }: NoteSearch): Score {
  const words = wordsOf(query);
  return ({ title, tags, text }, path) => {
    const folded = foldCase(redact(text));
    const heads = [foldCase(title), foldCase(nameOf(path))];
    const tagged = foldCase(tags.join(" "));
    let sum = 0;
    for (const word of words) {
      const score =
        (heads.some((head) => head.includes(word)) ? 3 : 0) +
        (tagged.includes(word) ? 2 : 0) +
        (findText(folded, word) >= 0 ? 1 : 0);
      if (score === 0) return 0;
      sum += score;
    }
    return sum;
  };
}

function wordsOf(query: string): string[] {
  return [...new Set(foldCase(query).split(/[\s#]+/))].filter((word) => word !== "").slice(0, maxWords);
}

const maxWords = 20;
const maxExcerpts = 3;

async function excerptsOf(text: string, { query, turns }: NoteSearch): Promise<{ line: number; text: string }[]> {
  for (const wanted of [query.trim(), ...wordsOf(query)]) {
    const lines = [];
    for (const line of linesWith(text, { query: wanted })) if (lines.push(line) === maxExcerpts) break;
    if (lines.length > 0) return lines;
    await turns.next();
  }
  return [];
}
