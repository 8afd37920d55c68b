import type { ValueOf } from "@biplane/core/internal";
import { count, flag, optionsOf, path } from "../shared/options.ts";

export const gitOptions = optionsOf(
  { root: path("The repository's folder, which contains `.git`") },
  {
    authorName: { type: "string", default: "Biplane", description: "Author of commits" },
    authorEmail: { type: "string", default: "agent@localhost", description: "Their email address" },
    canWrite: flag(
      true,
      "Add the tools that stage, commit and switch branches; without them, the pack changes nothing",
    ),
    maxBytes: count(200_000, "Maximum size of a result in bytes"),
  },
);

export type GitPackOptions = ValueOf<typeof gitOptions>;
