import { BiplaneError } from "@biplane/core";
import type { Call, Reply, Tool } from "@biplane/core";
import { list, object, text } from "../../schema/builders.ts";
import { allOptional, packTool, textReply } from "../shared/pack-tool.ts";
import type { Repository } from "./repository.ts";
import { checkBranch, checkRevision, revisionField } from "./revision.ts";

export function gitBranchTool(repository: Repository, { canWrite }: { canWrite: boolean }): Tool {
  const input = allOptional({
    action: { enum: ["list", "create", "switch"], default: "list" },
    name: { type: "string", minLength: 1, description: "The branch to create or to switch to" },
    start: { ...revisionField, description: "Start point of a new branch (default: HEAD)" },
  });
  const readOnlyInput = allOptional({ action: { enum: ["list"], default: "list" } });
  return packTool({
    name: "git_branch",
    title: "Branches",
    description: canWrite
      ? "List branches, create one (at HEAD or another revision), or switch to one."
      : "List the branches.",
    input: canWrite ? input : (readOnlyInput as unknown as typeof input),
    output: object({ current: { type: ["string", "null"] }, branches: list(object({ name: text, hash: text })) }),
    annotations: { readOnlyHint: !canWrite, destructiveHint: false, idempotentHint: !canWrite, openWorldHint: false },
    run: async ({ action, name, start = "HEAD" }, call) => {
      if (action === "list") return listBranches(repository, call);
      if (name === undefined) throw new BiplaneError("INVALID_INPUT", `To ${action} a branch, give its name.`);
      const command =
        action === "create"
          ? ["branch", "--no-track", "--end-of-options", checkBranch(name), checkRevision(start)]
          : ["switch", "--quiet", "--no-guess", "--no-recurse-submodules", checkBranch(name)];
      await repository.change((run) => run(command, { signal: call.signal }));
      return listBranches(repository, call);
    },
  });
}

async function listBranches(repository: Repository, call: Call): Promise<Reply> {
  const format = "--format=%(HEAD)%00%(refname:short)%00%(objectname)";
  const { output } = await repository.read(["for-each-ref", format, "refs/heads"], call);
  const rows = output.split("\n").flatMap((line) => {
    const [mark, name, hash] = line.split("\0");
    return name && hash ? [{ name, hash, isCurrent: mark === "*" }] : [];
  });
  const current = rows.find(({ isCurrent }) => isCurrent)?.name ?? null;
  const shown = rows.map(({ name, hash, isCurrent }) => `${isCurrent ? "*" : " "} ${name} ${hash.slice(0, 10)}`);
  const branches = rows.map(({ name, hash }) => ({ name, hash }));
  return textReply(shown.join("\n") || "No branches yet.", { current, branches });
}
