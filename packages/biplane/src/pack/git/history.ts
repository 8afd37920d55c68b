import type { Reply, Tool } from "@biplane/core";
import { list, object, text } from "../../schema/builders.ts";
import { allOptional, packTool, readsLocally, textReply } from "../shared/pack-tool.ts";
import type { Repository } from "./repository.ts";
import { checkRevision, pathsField, revisionField } from "./revision.ts";

export function gitHistoryTools(repository: Repository, { maxBytes }: { maxBytes: number }): readonly Tool[] {
  const pathsOf = (paths: readonly string[] = []) => paths.map((path) => repository.root.parse(path).join("/") || ".");
  return [
    packTool({
      ...readsLocally,
      name: "git_log",
      title: "Log",
      description: "List the commits of a branch or range, newest first.",
      input: allOptional({
        revision: { ...revisionField, default: "HEAD" },
        paths: pathsField,
        limit: { type: "integer", minimum: 1, maximum: 500, default: 20 },
        skip: { type: "integer", minimum: 0, default: 0, description: "How many commits to skip" },
      }),
      output: object({ commits: list(object({ hash: text, author: text, date: text, message: text })) }),
      run: async ({ revision, paths, limit, skip }, call) => {
        const format = "--format=%H%x1f%an <%ae>%x1f%aI%x1f%B%x1e";
        const command = ["log", format, `--max-count=${limit}`, `--skip=${skip}`, "--no-show-signature", "--no-color"];
        const { output } = await repository.read(
          [...command, "--end-of-options", checkRevision(revision), "--", ...pathsOf(paths)],
          call,
          { maxBytes },
        );
        const commits = output.split("\x1e\n").flatMap((line) => {
          const [hash, author, date, message] = line.replaceAll("\x1e", "").split("\x1f");
          return hash && author && date ? [{ hash, author, date, message: (message ?? "").trim() }] : [];
        });
        const shown = commits.map(
          ({ hash, author, date, message }) =>
            `${hash.slice(0, 10)} ${date} ${author}\n    ${message.replaceAll("\n", "\n    ")}`,
        );
        return textReply(shown.join("\n\n") || "No commits.", { commits });
      },
    }),
    packTool({
      ...readsLocally,
      name: "git_diff",
      title: "Diff",
      description: "Show changes: unstaged changes, staged changes, or changes since a revision.",
      input: allOptional({
        staged: { type: "boolean", default: false, description: "Show staged changes instead of unstaged ones" },
        revision: { ...revisionField, description: "Compare with this commit, or compare the two ends of a range" },
        paths: pathsField,
        context: { type: "integer", minimum: 0, maximum: 100, default: 3, description: "Lines around each change" },
      }),
      output: patchOutput,
      run: async ({ staged, revision, paths, context }, call) => {
        const command = ["diff", ...safeDiff, `--unified=${context}`, ...(staged ? ["--cached"] : [])];
        const against = revision === undefined ? [] : ["--end-of-options", checkRevision(revision)];
        const whole = [...command, ...against, "--", ...pathsOf(paths)];
        return patchReply(await repository.read(whole, call, { maxBytes }), "No changes.");
      },
    }),
    packTool({
      ...readsLocally,
      name: "git_show",
      title: "Show",
      description: "Show a commit with its changes. With path, show that file as of the commit.",
      input: allOptional({ revision: { ...revisionField, default: "HEAD" }, path: { type: "string", minLength: 1 } }),
      output: patchOutput,
      run: async ({ revision, path }, call) => {
        const commit = checkRevision(revision);
        const command =
          path === undefined
            ? ["show", ...safeDiff, "--no-show-signature", "--format=fuller", "--end-of-options", commit, "--"]
            : ["cat-file", "blob", `${commit}:${repository.root.parse(path).join("/")}`];
        return patchReply(await repository.read(command, call, { maxBytes }), "");
      },
    }),
  ];
}

const patchOutput = object({
  content: text,
  truncated: { type: "boolean", description: "True if the content was truncated" },
});

const safeDiff = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--no-color"];

function patchReply({ output, isCut }: { output: string; isCut: boolean }, empty: string): Reply {
  const more = isCut ? "\n… (truncated)" : "";
  return textReply(output + more || empty, { content: output, truncated: isCut });
}
