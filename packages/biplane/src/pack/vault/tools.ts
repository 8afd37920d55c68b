import { BiplaneError, reply, text as textContent } from "@biplane/core";
import type { Tool } from "@biplane/core";
import { callerOf, messageOf, Turns } from "@biplane/core/internal";
import { boolean, integer, list, object, record, text } from "../../schema/builders.ts";
import { decodeUtf8 } from "../shared/files/decode-utf8.ts";
import { fileError } from "../shared/files/file-errors.ts";
import { withFolder } from "../shared/files/list-folder.ts";
import { quote } from "../shared/files/parse-path.ts";
import { readFile } from "../shared/files/read-file.ts";
import type { FileLocation } from "../shared/files/root.ts";
import { walkTree } from "../shared/files/walk-tree.ts";
import { withFileLock, writeFile } from "../shared/files/write-file.ts";
import { allOptional, packTool, textReply } from "../shared/pack-tool.ts";
import { backlinksOf, resolveLink } from "./links.ts";
import { readNote } from "./note.ts";
import { pullBeforeRead } from "./pull-before-read.ts";
import { excerptsOf, findNotes, redactNote } from "./search-notes.ts";
import type { Vault } from "./pack.ts";

export function vaultTools(vault: Vault): readonly Tool[] {
  const { root, notes, sync, maxBytes } = vault;
  const reading = { idempotent: true, annotations: { readOnlyHint: true } } as const;
  return [
    packTool({
      ...reading,
      name: "vault_read",
      title: "Read a note",
      description: "Read a note: its text, front matter, tags, links and backlinks.",
      input: object({ path: pathField }),
      output: object(
        {
          path: text,
          content: text,
          title: text,
          front_matter: record,
          tags: list(text),
          links: list(
            object({
              link: text,
              path: { type: ["string", "null"], description: "Null if there is no such note" },
            }),
          ),
          backlinks: list(text),
        },
        { front_matter_error: text, sync_error: syncErrorField },
      ),
      run: async ({ path }, call) => {
        root.parse(path);
        const { fault, warnings, syncError } = await pullBeforeRead(sync, call);
        await using location = await findNote(vault, path);
        if (!location.stats && fault !== undefined)
          throw fileError(location.shown, `does not exist locally, and the vault could not be updated: ${fault}`);
        const content = decodeUtf8(await readFile(location, maxBytes));
        if (content === undefined) throw fileError(location.shown, "is not text");
        await notes.refresh();
        const own = location.names.join("/");
        const note = await readNote(call.redact(content), own);
        const turns = new Turns(callerOf(call.principal));
        const links: { link: string; path: string | null }[] = [];
        for (const link of note.links) {
          const target = resolveLink(notes, link, own);
          links.push({ link, path: target === undefined ? null : root.show([target]) });
          await turns.next();
        }
        const backlinks = await backlinksOf(notes, own, turns);
        return reply([textContent(content), ...warnings], {
          structured: {
            path: root.show(location.names),
            content,
            title: note.title,
            front_matter: note.frontMatter,
            ...(note.frontMatterFault !== undefined && { front_matter_error: note.frontMatterFault }),
            tags: note.tags,
            links,
            backlinks: backlinks.map((source) => root.show([source])),
            ...syncError,
          },
        });
      },
    }),
    packTool({
      name: "vault_write",
      title: "Write a note",
      description:
        "Write a whole note, replacing its content. Creates missing folders." +
        (sync ? " The note is committed and pushed." : ""),
      input: object(
        { path: pathField, content: { type: "string", description: "The note, in Markdown" } },
        {
          commit_message: {
            type: "string",
            minLength: 1,
            maxLength: 1000,
            description: "The commit message (default: Update <name>)",
          },
        },
      ),
      output: object({
        path: text,
        bytes: integer,
        created: { type: "boolean", description: "True if the note is new" },
        synced: { type: "boolean", description: "True if it was pushed to the repository" },
      }),
      idempotent: true,
      annotations: { readOnlyHint: false, destructiveHint: true },
      run: async ({ path, content, commit_message }, { signal }) => {
        const bytes = Buffer.from(content);
        if (bytes.length > maxBytes) throw tooLarge(bytes.length, maxBytes);
        await using location = await root.find(path, { createFolders: true });
        const { isNew } = await withFileLock(location, () => writeFile(location, bytes));
        notes.changed();
        const message = commit_message?.trim() || `Update ${location.name}`;
        await sync?.push(location.names.join("/"), message, signal).catch((error: unknown) => {
          throw notSynced(location, error);
        });
        return textReply(`Wrote ${sync ? "and synced " : ""}${path}`, {
          path: location.shown,
          bytes: bytes.length,
          created: isNew,
          synced: sync !== undefined,
        });
      },
    }),
    packTool({
      ...reading,
      name: "vault_list",
      title: "List notes",
      description:
        "List a folder of the vault. Folder names end with a slash. With recursive, list all notes and folders below it as paths in the vault.",
      input: allOptional({
        path: { ...pathField, description: `${pathField.description} (default: the whole vault)` },
        recursive: { type: "boolean", default: false },
      }),
      output: object(
        {
          path: text,
          entries: { type: "array", items: text, description: "Folder names end with a slash" },
          truncated: boolean,
        },
        { sync_error: syncErrorField },
      ),
      run: async ({ path = "", recursive }, call) => {
        root.parse(path);
        const { warnings, syncError } = await pullBeforeRead(sync, call);
        await using location = await root.find(path);
        const above = recursive ? location.names : [];
        const entries: string[] = [];
        const { isCut } = await withFolder(location, (folder) =>
          walkTree(root, folder, {
            maxEntries,
            signal: call.signal,
            isFlat: !recursive,
            visit: ({ names, name, type }) => {
              if (recursive && type !== "folder" && !/\.md$/i.test(name)) return;
              entries.push(`${[...above, ...names].join("/")}${type === "folder" ? "/" : ""}`);
            },
          }),
        );
        const lines = [...entries, ...(isCut ? [`… and more. Only the first ${maxEntries} entries are listed.`] : [])];
        return reply([textContent(lines.join("\n") || "No files found"), ...warnings], {
          structured: { path: location.shown, entries, truncated: isCut, ...syncError },
        });
      },
    }),
    packTool({
      ...reading,
      name: "vault_search",
      title: "Search notes",
      description:
        "Find notes that contain a text or all of its words. Titles and tags rank highest. #tag finds notes with that tag. " +
        "Returns matching lines.",
      input: object(
        { query: { type: "string", minLength: 1, maxLength: 500 } },
        {
          path: { ...pathField, description: "Only notes below this folder" },
          max_results: { type: "integer", minimum: 1, maximum: 200, default: 20 },
        },
      ),
      output: object(
        {
          matches: list(
            object({ path: text, title: text, tags: list(text), excerpts: list(object({ line: integer, text })) }),
          ),
          total: { type: "integer", description: "Total number of matching notes" },
          truncated: { type: "boolean", description: "True if the vault has more notes than could be searched" },
        },
        { sync_error: syncErrorField },
      ),
      run: async ({ query, path = "", max_results: maxResults }, call) => {
        const below = root.parse(path).map((name) => `${name}/`);
        const { warnings, syncError } = await pullBeforeRead(sync, call);
        await notes.refresh();
        const search = { query, turns: new Turns(callerOf(call.principal)), call };
        const found = (await findNotes(notes.all, search)).filter((path) => path.startsWith(below.join("")));
        const matches = [];
        for (const path of found.slice(0, maxResults)) {
          const note = notes.all.get(path);
          if (!note) continue;
          const { title, tags, text } = await redactNote(note, path, call);
          const excerpts = await excerptsOf(text, search);
          matches.push({ path: root.show([path]), title, tags, excerpts });
        }
        const shown = matches.flatMap(({ path, excerpts }) => [
          path,
          ...excerpts.map(({ line, text }) => `  ${line}: ${text}`),
        ]);
        const head = `Found in ${found.length} ${found.length === 1 ? "file" : "files"}:`;
        const lines = found.length === 0 ? [`No files containing ${quote(query)}`] : [head, ...shown];
        return reply([textContent(lines.join("\n")), ...warnings], {
          structured: { matches, total: found.length, truncated: notes.isCut, ...syncError },
        });
      },
    }),
  ];
}

const maxEntries = 5000;

const pathField = {
  type: "string",
  minLength: 1,
  description: "Path in the vault: relative, or starting with /vault/",
} as const;

const syncErrorField = {
  type: "string",
  description: "Why the vault could not be updated; absent on success",
} as const;

/** Accepts a note name without its extension. */
async function findNote({ root }: Vault, path: string): Promise<FileLocation> {
  const location = await root.find(path);
  if (location.stats || /\.[a-z0-9]+$/i.test(path)) return location;
  await location[Symbol.asyncDispose]();
  return root.find(`${path}.md`);
}

function tooLarge(bytes: number, maxBytes: number): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `The note has ${bytes} bytes, more than the limit of ${maxBytes}.`);
}

function notSynced({ shown }: FileLocation, cause: unknown): BiplaneError {
  const message = `${shown} was written but not synced: ${messageOf(cause)}`;
  return new BiplaneError("EXECUTION_ERROR", message, { cause, details: { written: true } });
}
