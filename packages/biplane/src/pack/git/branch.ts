import { BiplaneError, reply, text, tool } from "@biplane/core";
import type { Reply, Tool } from "@biplane/core";
import type { Repository } from "./repository.ts";
import { checkBranch, checkRevision, revisionField } from "./revision.ts";

export function gitBranchTool(repository: Repository, { canWrite }: { canWrite: boolean }): Tool {
  return tool({
    name: "git_branch",
    title: "Branches",
    description: canWrite
      ? "List branches, create one (at HEAD or another revision), or switch to one."
      : "List the branches.",
    input: {
      type: "object",
      properties: {
        action: { enum: canWrite ? ["list", "create", "switch"] : ["list"], default: "list" },
        ...(canWrite && {
          name: { type: "string", minLength: 1, description: "The branch to create or to switch to" },
          start: { ...revisionField, description: "Start point of a new branch (default: HEAD)" },
        }),
      },
    },
    output: {
      type: "object",
      required: ["current", "branches"],
      properties: {
        current: { type: ["string", "null"] },
        branches: {
          type: "array",
          items: {
            type: "object",
            required: ["name", "hash"],
            properties: { name: { type: "string" }, hash: { type: "string" } },
          },
        },
      },
    },
    timeoutMs: 30_000,
    annotations: { readOnlyHint: !canWrite, destructiveHint: false, idempotentHint: !canWrite, openWorldHint: false },
    run: (input, { signal }) => branch(repository, { ...(input as BranchInput), signal }),
  });
}

type BranchInput = {
  readonly action?: "list" | "create" | "switch";
  readonly name?: string;
  readonly start?: string;
};

async function branch(repository: Repository, input: BranchInput & { signal: AbortSignal }): Promise<Reply> {
  const { action = "list", name, start = "HEAD", signal } = input;
  if (action !== "list" && name === undefined) {
    throw new BiplaneError("INVALID_INPUT", `To ${action} a branch, give its name.`);
  }
  if (action === "create" && name !== undefined) {
    const command = ["branch", "--no-track", "--end-of-options", checkBranch(name), checkRevision(start)];
    await repository.change((run) => run(command, { signal }));
  }
  if (action === "switch" && name !== undefined) {
    const command = ["switch", "--quiet", "--no-guess", "--no-recurse-submodules", checkBranch(name)];
    await repository.change((run) => run(command, { signal }));
  }
  return list(repository, signal);
}

async function list(repository: Repository, signal: AbortSignal): Promise<Reply> {
  const format = "--format=%(HEAD)%00%(refname:short)%00%(objectname)";
  const { output } = await repository.read(["for-each-ref", format, "refs/heads"], { signal });
  const rows = output.split("\n").flatMap((line) => {
    const [mark, name, hash] = line.split("\0");
    return name && hash ? [{ name, hash, isCurrent: mark === "*" }] : [];
  });
  const current = rows.find(({ isCurrent }) => isCurrent)?.name ?? null;
  const shown = rows.map(({ name, hash, isCurrent }) => `${isCurrent ? "*" : " "} ${name} ${hash.slice(0, 10)}`);
  return reply(text(shown.join("\n") || "No branches yet."), {
    structured: { current, branches: rows.map(({ name, hash }) => ({ name, hash })) },
  });
}
