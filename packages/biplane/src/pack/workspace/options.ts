import type { ValueOf } from "@biplane/core/internal";
import { allowHardLinks, count, flag, optionsOf, path, protectedNames } from "../shared/options.ts";

export const workspaceOptions = optionsOf(
  { root: path("The folder that agents see as `/workspace`; created if missing") },
  {
    maxReadBytes: count(2 ** 20, "Maximum bytes that one call reads"),
    maxWriteBytes: count(10 * 2 ** 20, "Maximum size of a written file in bytes"),
    approveDelete: flag(true, "Require approval for deletions"),
    protectedNames,
    allowHardLinks,
  },
);

export type WorkspaceOptions = ValueOf<typeof workspaceOptions>;
export type WorkspaceSettings = ValueOf<typeof workspaceOptions, true>;
