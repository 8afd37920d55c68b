import type { Tool } from "@biplane/core";
import { list, object, text } from "../../schema/builders.ts";
import { packTool, readsLocally, textReply } from "../shared/pack-tool.ts";
import type { Repository } from "./repository.ts";

export function gitStatusTool(repository: Repository): Tool {
  return packTool({
    ...readsLocally,
    name: "git_status",
    title: "Status",
    description: "Show the current branch and the staged, changed and untracked files.",
    output: object({
      branch: { type: ["string", "null"], description: "Null if HEAD is detached" },
      files: list(
        object({
          path: text,
          staged: { type: "string", description: "Status letter as in git status --short, or a space" },
          unstaged: {
            type: "string",
            description: "Status letter as in git status --short, ? for untracked, or a space",
          },
        }),
      ),
    }),
    run: async (_input, call) => {
      const command = ["status", "--porcelain=v1", "-z", "--branch", "--no-renames", "--ignore-submodules=all"];
      const { output } = await repository.read(command, call);
      const [head = "", ...lines] = output.split("\0").filter(Boolean);
      const files = lines.map((line) => ({
        path: line.slice(3),
        staged: line.slice(0, 1),
        unstaged: line.slice(1, 2),
      }));
      const branch = /^## (?:No commits yet on )?(.+?)(?:\.\.\.|$)/.exec(head)?.[1];
      const isDetached = branch === undefined || branch === "HEAD (no branch)";
      const shown = [
        isDetached ? "Not on a branch" : `On branch ${branch}`,
        ...(lines.length > 0 ? lines : ["No changes"]),
      ];
      return textReply(shown.join("\n"), { branch: isDetached ? null : branch, files });
    },
  });
}
