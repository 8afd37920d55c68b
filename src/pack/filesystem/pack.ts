import type { Pack } from "../../server/pack.ts";
import { protecting } from "../files/names.ts";
import { changeTools } from "./change.ts";
import { lookTools } from "./look.ts";
import { filesystemDefaults } from "./options.ts";
import type { FilesystemOptions } from "./options.ts";
import { readTools } from "./read.ts";
import { Roots } from "./roots.ts";

/** Files in some folders of this machine, by the names and arguments of the reference filesystem server. */
export function filesystemPack(options: FilesystemOptions): Pack {
  const settings = { ...filesystemDefaults, ...options };
  const roots = new Roots(settings.roots, {
    isProtected: protecting(settings.protectedNames),
    allowHardLinks: settings.allowHardLinks,
  });
  return {
    name: "filesystem",
    tools: [...readTools(roots, settings), ...changeTools(roots, settings), ...lookTools(roots)],
  };
}
