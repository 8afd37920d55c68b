import { BiplaneError, reply, text, tool } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import type { Reply, Tool } from "@biplane/core";
import { withFileLock, writeFile } from "../shared/files/write-file.ts";
import { vaultPathField } from "./fields.ts";
import type { Vault } from "./pack.ts";

export function vaultWriteTool(vault: Vault): Tool {
  return tool({
    name: "vault_write",
    title: "Write a note",
    description:
      "Write a whole note, replacing its content. Creates missing folders." +
      (vault.sync ? " The note is committed and pushed." : ""),
    input: {
      type: "object",
      required: ["path", "content"],
      properties: {
        path: vaultPathField,
        content: { type: "string", description: "The note, in Markdown" },
        commit_message: {
          type: "string",
          minLength: 1,
          maxLength: 1000,
          description: "The commit message (default: Update <name>)",
        },
      },
    },
    output: {
      type: "object",
      required: ["path", "bytes", "created", "synced"],
      properties: {
        path: { type: "string" },
        bytes: { type: "integer" },
        created: { type: "boolean", description: "True if the note is new" },
        synced: { type: "boolean", description: "True if it was pushed to the repository" },
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
    throw new BiplaneError(
      "INVALID_INPUT",
      `The note has ${bytes.length} bytes, more than the limit of ${vault.maxBytes}.`,
    );
  }
  await using location = await vault.root.find(input.path, { createFolders: true });
  const { isNew } = await withFileLock(location, () => writeFile(location, bytes));
  vault.notes.changed();
  if (vault.sync) {
    const message = input.commit_message?.trim() || `Update ${location.name}`;
    try {
      await vault.sync.push(location.names.join("/"), message, input.signal);
    } catch (error) {
      throw new BiplaneError("EXECUTION_ERROR", `${location.shown} was written but not synced: ${messageOf(error)}`, {
        cause: error,
        details: { written: true },
      });
    }
  }
  return reply(text(`Wrote ${vault.sync ? "and synced " : ""}${input.path}`), {
    structured: { path: location.shown, bytes: bytes.length, created: isNew, synced: vault.sync !== undefined },
  });
}
