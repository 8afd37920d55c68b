import { reply, text, tool } from "@biplane/core";
import type { Reply, Tool } from "@biplane/core";
import type { Repository } from "./repository.ts";

export function gitStatusTool(repository: Repository): Tool {
  return tool({
    name: "git_status",
    title: "Status",
    description: "Show the current branch and the staged, changed and untracked files.",
    output: {
      type: "object",
      required: ["branch", "files"],
      properties: {
        branch: { type: ["string", "null"], description: "Null if HEAD is detached" },
        files: {
          type: "array",
          items: {
            type: "object",
            required: ["path", "staged", "unstaged"],
            properties: {
              path: { type: "string" },
              staged: { type: "string", description: "Status letter as in git status --short, or a space" },
              unstaged: {
                type: "string",
                description: "Status letter as in git status --short, ? for untracked, or a space",
              },
            },
          },
        },
      },
    },
    timeoutMs: 30_000,
    idempotent: true,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: (_input, call) => status(repository, call.signal),
  });
}

async function status(repository: Repository, signal: AbortSignal): Promise<Reply> {
  const command = ["status", "--porcelain=v1", "-z", "--branch", "--no-renames", "--ignore-submodules=all"];
  const { output } = await repository.read(command, { signal });
  const [head = "", ...lines] = output.split("\0").filter(Boolean);
  const files = lines.map((line) => ({ path: line.slice(3), staged: line.slice(0, 1), unstaged: line.slice(1, 2) }));
  const branch = /^## (?:No commits yet on )?(.+?)(?:\.\.\.|$)/.exec(head)?.[1];
  const isDetached = branch === undefined || branch === "HEAD (no branch)";
  const shown = [
    isDetached ? "Not on a branch" : `On branch ${branch}`,
    ...(files.length === 0
      ? ["No changes"]
      : files.map(({ path, staged, unstaged }) => `${staged}${unstaged} ${path}`)),
  ];
  return reply(text(shown.join("\n")), { structured: { branch: isDetached ? null : branch, files } });
}
