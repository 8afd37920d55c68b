import type { Call, Reply, Tool } from "@biplane/core";
import { reply, text, tool } from "@biplane/core";
import { Turns } from "@biplane/core/internal";
import { fileError } from "../shared/files/file-errors.ts";
import { readFile } from "../shared/files/read-file.ts";
import type { FileLocation } from "../shared/files/root.ts";
import { decodeUtf8 } from "../shared/files/decode-utf8.ts";
import { vaultPathField } from "./fields.ts";
import { syncErrorField, pullBeforeRead } from "./pull-before-read.ts";
import { backlinksOf, resolveLink } from "./links.ts";
import { readNote } from "./note.ts";
import type { Vault } from "./pack.ts";

export function vaultReadTool(vault: Vault): Tool {
  return tool({
    name: "vault_read",
    title: "Read a note",
    description: "Read a note: its text, front matter, tags, links and backlinks.",
    input: { type: "object", required: ["path"], properties: { path: vaultPathField } },
    output: {
      type: "object",
      required: ["path", "content", "title", "front_matter", "tags", "links", "backlinks"],
      properties: {
        path: { type: "string" },
        content: { type: "string" },
        title: { type: "string" },
        front_matter: { type: "object" },
        front_matter_error: { type: "string" },
        tags: { type: "array", items: { type: "string" } },
        links: {
          type: "array",
          items: {
            type: "object",
            required: ["link", "path"],
            properties: {
              link: { type: "string" },
              path: { type: ["string", "null"], description: "Null if there is no such note" },
            },
          },
        },
        backlinks: { type: "array", items: { type: "string" } },
        sync_error: syncErrorField,
      },
    },
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: true },
    run: ({ path }, call) => read(vault, path, call),
  });
}

async function read(vault: Vault, path: string, call: Call): Promise<Reply> {
  vault.root.parse(path);
  const { fault, notes: warnings } = await pullBeforeRead(vault, call);
  await using location = await findNote(vault, path);
  if (!location.stats && fault !== undefined)
    throw fileError(location.shown, `does not exist locally, and the vault could not be updated: ${fault}`);
  const content = decodeUtf8(await readFile(location, vault.maxBytes));
  if (content === undefined) throw fileError(location.shown, "is not text");
  await vault.notes.refresh();
  const own = location.names.join("/");
  const note = await readNote(content, own);
  const turns = new Turns();
  const links: { link: string; path: string | null }[] = [];
  for (const link of note.links) {
    const target = resolveLink(vault.notes, link, own);
    links.push({ link, path: target === undefined ? null : vault.root.show([target]) });
    await turns.next();
  }
  const backlinks = await backlinksOf(vault.notes, own, turns);
  return reply([text(content), ...warnings], {
    structured: {
      path: vault.root.show(location.names),
      content,
      title: note.title,
      front_matter: note.frontMatter,
      ...(note.frontMatterFault !== undefined && { front_matter_error: note.frontMatterFault }),
      tags: note.tags,
      links,
      backlinks: backlinks.map((source) => vault.root.show([source])),
      ...(fault !== undefined && { sync_error: fault }),
    },
  });
}

/** Accepts a note name without its extension. */
async function findNote({ root }: Vault, path: string): Promise<FileLocation> {
  const location = await root.find(path);
  if (location.stats || /\.[a-z0-9]+$/i.test(path)) return location;
  await location[Symbol.asyncDispose]();
  return root.find(`${path}.md`);
}
