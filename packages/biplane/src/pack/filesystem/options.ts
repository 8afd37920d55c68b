import type { ValueOf } from "@biplane/core/internal";
import { allowHardLinks, count, optionsOf, path, protectedNames } from "../shared/options.ts";

export const filesystemOptions = optionsOf(
  {
    roots: {
      type: "array",
      minItems: 1,
      items: path("A folder, which must exist"),
      description: "Paths of the allowed folders; `~` means the first one",
    },
  },
  {
    maxReadBytes: count(2 ** 20, "Maximum bytes that one call reads"),
    maxWriteBytes: count(10 * 2 ** 20, "Maximum size of a written file in bytes"),
    protectedNames,
    allowHardLinks,
  },
);

export type FilesystemOptions = ValueOf<typeof filesystemOptions>;
