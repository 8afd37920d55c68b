import type { Pack } from "../../server/pack.ts";
import { Root } from "../files/root.ts";
import { protecting } from "../files/names.ts";
import { branchTool } from "./branch.ts";
import { changeTools } from "./change.ts";
import { historyTools } from "./history.ts";
import { gitDefaults } from "./options.ts";
import type { GitPackOptions } from "./options.ts";
import { Repository } from "./repository.ts";
import { statusTool } from "./status.ts";

/** A git repository on this machine: its state, its history, and small changes to it. It never reaches for a network. */
export function gitPack(options: GitPackOptions): Pack {
  const settings = { ...gitDefaults, ...options };
  const root = new Root({ path: settings.root, prefix: "/repository", isProtected: protecting([".git"]) });
  const repository = new Repository(root, {
    GIT_AUTHOR_NAME: settings.authorName,
    GIT_AUTHOR_EMAIL: settings.authorEmail,
    GIT_COMMITTER_NAME: settings.authorName,
    GIT_COMMITTER_EMAIL: settings.authorEmail,
    GIT_ALLOW_PROTOCOL: "none",
  });
  return {
    name: "git",
    tools: [
      statusTool(repository),
      ...historyTools(repository, settings),
      ...(settings.canWrite ? changeTools(repository) : []),
      branchTool(repository, settings),
    ],
    close: () => repository[Symbol.asyncDispose](),
  };
}
