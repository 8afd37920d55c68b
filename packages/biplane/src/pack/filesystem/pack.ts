import type { Pack } from "@biplane/core";
import { protecting } from "../shared/files/names.ts";
import { fileWriteTools } from "./write.ts";
import { fileListTools } from "./list.ts";
import { filesystemOptions } from "./options.ts";
import type { FilesystemOptions } from "./options.ts";
import { readOptions } from "../shared/options.ts";
import { fileReadTools } from "./read.ts";
import { Roots } from "./roots.ts";

/** Files in folders of this machine, with the tool names and arguments of the MCP reference filesystem server. */
export function filesystemPack(options: FilesystemOptions): Pack {
  const settings = readOptions(options, { pack: "filesystemPack", schema: filesystemOptions });
  const roots = new Roots(settings.roots, {
    isProtected: protecting(settings.protectedNames),
    allowHardLinks: settings.allowHardLinks,
  });
  return {
    name: "filesystem",
    tools: [...fileReadTools(roots, settings), ...fileWriteTools(roots, settings), ...fileListTools(roots)],
  };
}
