import type { Pack } from "@biplane/core";
import { Root } from "../shared/files/root.ts";
import { protecting } from "../shared/files/names.ts";
import { gitBranchTool } from "./branch.ts";
import { gitWriteTools } from "./write.ts";
import { gitHistoryTools } from "./history.ts";
import { gitOptions } from "./options.ts";
import type { GitPackOptions } from "./options.ts";
import { readOptions } from "../shared/options.ts";
import { Repository } from "./repository.ts";
import { authorEnvironment } from "./run-git.ts";
import { gitStatusTool } from "./status.ts";

/** Tools for a local git repository: status, history, staging, commits and branches. Never uses the network. */
export function gitPack(options: GitPackOptions): Pack {
  const settings = readOptions(options, { pack: "gitPack", schema: gitOptions });
  const root = new Root({ path: settings.root, prefix: "/repository", isProtected: protecting([".git"]) });
  const repository = new Repository(root, { ...authorEnvironment(settings), GIT_ALLOW_PROTOCOL: "none" });
  return {
    name: "git",
    tools: [
      gitStatusTool(repository),
      ...gitHistoryTools(repository, settings),
      ...(settings.canWrite ? gitWriteTools(repository) : []),
      gitBranchTool(repository, settings),
    ],
    close: () => repository[Symbol.asyncDispose](),
  };
}
