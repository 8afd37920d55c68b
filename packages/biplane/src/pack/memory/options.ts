import type { ValueOf } from "@biplane/core/internal";
import { count, optionsOf, path } from "../shared/options.ts";

export const memoryOptions = optionsOf(
  { root: path("The folder of the memory files; created if missing") },
  {
    files: {
      type: "array",
      minItems: 1,
      items: { type: "string", pattern: "^[A-Za-z0-9_-]+\\.md$" },
      default: ["MEMORY.md"],
      description: "Permanent files, in addition to daily notes; the first is the default",
    },
    maxBytes: count(2 ** 20, "Maximum size of a file in bytes"),
    timeZone: { type: "string", description: "Time zone of `today` (default: the machine's)" },
  },
);

export type MemoryOptions = ValueOf<typeof memoryOptions>;
