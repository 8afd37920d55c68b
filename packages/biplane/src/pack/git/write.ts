import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { reply, text, tool } from "@biplane/core";
import type { Reply, Tool } from "@biplane/core";
import { fileError } from "../shared/files/file-errors.ts";
import { quote } from "../shared/files/parse-path.ts";
import type { Repository } from "./repository.ts";
import { pathsField } from "./revision.ts";
import { stageFiles } from "./stage-files.ts";

export function gitWriteTools(repository: Repository): readonly Tool[] {
  return [
    tool({
      name: "git_add",
      title: "Stage",
      description: "Stage files and folders for the next commit. A deleted file is staged as deleted.",
      input: {
        type: "object",
        required: ["paths"],
        properties: { paths: { ...pathsField, minItems: 1, description: "Paths to stage; . for everything" } },
      },
      output: {
        type: "object",
        required: ["paths"],
        properties: { paths: { type: "array", items: { type: "string" } } },
      },
      timeoutMs: 30_000,
      idempotent: true,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
      run: ({ paths }, { signal }) => add(repository, paths as string[], signal),
    }),
    tool({
      name: "git_commit",
      title: "Commit",
      description: "Commit the staged changes.",
      input: {
        type: "object",
        required: ["message"],
        properties: { message: { type: "string", minLength: 1, maxLength: 10_000, pattern: "\\S" } },
      },
      output: {
        type: "object",
        required: ["hash", "message"],
        properties: { hash: { type: "string" }, message: { type: "string" } },
      },
      timeoutMs: 30_000,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      run: ({ message }, { signal }) => commit(repository, message, signal),
    }),
  ];
}

async function add(repository: Repository, given: readonly string[], signal: AbortSignal): Promise<Reply> {
  const paths = given.map((path) => repository.root.parse(path).join("/") || ".");
  const staged = await repository.change((run) =>
    stageFiles(run, { paths, withNew: true, check: (path) => rejectHardLinks(repository, path), signal }),
  );
  const shown = staged.length > 20 ? [...staged.slice(0, 20), `and ${staged.length - 20} more`] : staged;
  return reply(text(staged.length === 0 ? "Nothing to stage." : `Staged ${shown.join(", ")}`), {
    structured: { paths: staged },
  });
}

/** A hard link can expose the content of a file outside the repository, because staged content is readable. */
async function rejectHardLinks({ root }: Repository, path: string): Promise<void> {
  const stats = await lstat(join(root.realPath, path)).catch(() => undefined);
  if (stats?.isFile() && stats.nlink > 1)
    throw fileError(quote(path), "is a hard link, so its content may lie outside the repository");
}

async function commit(repository: Repository, message: string, signal: AbortSignal): Promise<Reply> {
  const command = ["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--no-status", "--cleanup=whitespace"];
  await repository.change((run) => run([...command, `--message=${message}`], { signal }));
  const { output } = await repository.read(["rev-parse", "--verify", "HEAD"], { signal });
  const hash = output.trim();
  return reply(text(`Committed ${hash.slice(0, 10)}`), { structured: { hash, message } });
}
