import type { Call } from "../../tool/call.ts";
import { reply, text } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { refuse } from "../files/file-fault.ts";
import { readFile } from "../files/read-file.ts";
import type { Place } from "../files/root.ts";
import { decodeText } from "../files/decode-text.ts";
import { pathField } from "./fields.ts";
import { faultField, freshen } from "./fresh.ts";
import { backlinksOf, resolveLink } from "./links.ts";
import { readNote } from "./note.ts";
import type { Vault } from "./pack.ts";

export function readTool(vault: Vault): Tool {
  return tool({
    name: "vault_read",
    title: "Read a note",
    description:
      "Read a note of the vault. Beside its text: its front matter, its tags, the notes it links to and those that link to it.",
    input: { type: "object", required: ["path"], properties: { path: pathField } },
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
              path: { type: ["string", "null"], description: "Null where there is no such note" },
            },
          },
        },
        backlinks: { type: "array", items: { type: "string" } },
        sync_error: faultField,
      },
    },
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: true },
    run: ({ path }, call) => read(vault, path as string, call),
  });
}

async function read(vault: Vault, path: string, call: Call): Promise<Reply> {
  vault.root.parse(path);
  const { fault, notes: hints } = await freshen(vault, call);
  await using place = await findNote(vault, path);
  if (!place.stats && fault !== undefined) throw refuse(place.shown, `does not exist, but may elsewhere: ${fault}`);
  const content = decodeText(await readFile(place, vault.maxBytes));
  if (content === undefined) throw refuse(place.shown, "is not text");
  await vault.notes.refresh();
  const own = place.names.join("/");
  const note = await readNote(content, own);
  return reply([text(content), ...hints], {
    structured: {
      path: vault.root.show(place.names),
      content,
      title: note.title,
      front_matter: note.frontMatter,
      ...(note.frontMatterFault !== undefined && { front_matter_error: note.frontMatterFault }),
      tags: note.tags,
      links: note.links.map((link) => {
        const target = resolveLink(vault.notes, link, own);
        return { link, path: target === undefined ? null : vault.root.show([target]) };
      }),
      backlinks: backlinksOf(vault.notes, own).map((source) => vault.root.show([source])),
      ...(fault !== undefined && { sync_error: fault }),
    },
  });
}

/** Notes may be named without their ending. */
async function findNote({ root }: Vault, path: string): Promise<Place> {
  const place = await root.find(path);
  if (place.stats || /\.[a-z0-9]+$/i.test(path)) return place;
  await place[Symbol.asyncDispose]();
  return root.find(`${path}.md`);
}
