import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { Tool } from "@biplane/core";
import { list, object, text } from "../../schema/builders.ts";
import { fileError } from "../shared/files/file-errors.ts";
import { quote } from "../shared/files/parse-path.ts";
import { packTool, textReply } from "../shared/pack-tool.ts";
import type { Repository } from "./repository.ts";
import { pathsField } from "./revision.ts";
import { stageFiles } from "./stage-files.ts";

export function gitWriteTools(repository: Repository): readonly Tool[] {
  return [
    packTool({
      name: "git_add",
      title: "Stage",
      description: "Stage files and folders for the next commit. A deleted file is staged as deleted.",
      input: object({ paths: { ...pathsField, minItems: 1, description: "Paths to stage; . for everything" } }),
      output: object({ paths: list(text) }),
      idempotent: true,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
      run: async (input, { signal }) => {
        const paths = input.paths.map((path) => repository.root.parse(path).join("/") || ".");
        const check = (path: string) => rejectHardLinks(repository, path);
        const staged = await repository.change((run) => stageFiles(run, { paths, withNew: true, check, signal }));
        const shown = staged.length > 20 ? [...staged.slice(0, 20), `and ${staged.length - 20} more`] : staged;
        const message = staged.length === 0 ? "Nothing to stage." : `Staged ${shown.join(", ")}`;
        return textReply(message, { paths: staged });
      },
    }),
    packTool({
      name: "git_commit",
      title: "Commit",
      description: "Commit the staged changes.",
      input: object({ message: { type: "string", minLength: 1, maxLength: 10_000, pattern: "\\S" } }),
      output: object({ hash: text, message: text }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      run: async ({ message }, call) => {
        const command = ["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--no-status", "--cleanup=whitespace"];
        await repository.change((run) => run([...command, `--message=${message}`], { signal: call.signal }));
        const { output } = await repository.read(["rev-parse", "--verify", "HEAD"], call);
        const hash = output.trim();
        return textReply(`Committed ${hash.slice(0, 10)}`, { hash, message });
      },
    }),
  ];
}

/** A hard link can expose the content of a file outside the repository, because staged content is readable. */
async function rejectHardLinks({ root }: Repository, path: string): Promise<void> {
  const stats = await lstat(join(root.realPath, path)).catch(() => undefined);
  if (stats?.isFile() && stats.nlink > 1)
    throw fileError(quote(path), "is a hard link, so its content may lie outside the repository");
}
