import { BiplaneError, messageOf } from "../../errors.ts";
import { reply, text } from "../../tool/content.ts";
import type { Reply } from "../../tool/content.ts";
import { tool } from "../../tool/tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { inTurn, writeFile } from "../files/write-file.ts";
import { pathField } from "./fields.ts";
import type { Vault } from "./pack.ts";

export function writeTool(vault: Vault): Tool {
  return tool({
    name: "vault_write",
    title: "Write a note",
    description:
      "Write a whole note of the vault, with the folders it needs; what was there before is replaced." +
      (vault.sync ? " It is committed and pushed." : ""),
    input: {
      type: "object",
      required: ["path", "content"],
      properties: {
        path: pathField,
        content: { type: "string", description: "The note, in Markdown" },
        commit_message: {
          type: "string",
          minLength: 1,
          maxLength: 1000,
          description: "What changed; made up if left out",
        },
      },
    },
    output: {
      type: "object",
      required: ["path", "bytes", "created", "synced"],
      properties: {
        path: { type: "string" },
        bytes: { type: "integer" },
        created: { type: "boolean", description: "Whether the note is new" },
        synced: { type: "boolean", description: "Whether it was pushed to the repository" },
      },
    },
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: false, destructiveHint: true },
    run: (input, call) => write(vault, { ...(input as WriteInput), signal: call.signal }),
  });
}

type WriteInput = { readonly path: string; readonly content: string; readonly commit_message?: string };

async function write(vault: Vault, input: WriteInput & { signal: AbortSignal }): Promise<Reply> {
  const bytes = Buffer.from(input.content);
  if (bytes.length > vault.maxBytes) {
    throw new BiplaneError("INVALID_INPUT", `The note has ${bytes.length} bytes; it may have ${vault.maxBytes}`);
  }
  await using place = await vault.root.find(input.path, { createFolders: true });
  const { isNew } = await inTurn(place, () => writeFile(place, bytes));
  vault.notes.changed();
  if (vault.sync) {
    const message = input.commit_message?.trim() || `Update ${place.name}`;
    try {
      await vault.sync.push(place.names.join("/"), message, input.signal);
    } catch (error) {
      throw new BiplaneError("EXECUTION_ERROR", `${place.shown} was written, but not synced: ${messageOf(error)}`, {
        cause: error,
        details: { written: true },
      });
    }
  }
  return reply(text(`Wrote ${vault.sync ? "and synced " : ""}${input.path}`), {
    structured: { path: place.shown, bytes: bytes.length, created: isNew, synced: vault.sync !== undefined },
  });
}
