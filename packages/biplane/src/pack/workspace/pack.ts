import { allow, ask } from "@biplane/core";
import type { Pack, Policy } from "@biplane/core";
import { protecting } from "../shared/files/names.ts";
import { quote } from "../shared/files/parse-path.ts";
import { Root } from "../shared/files/root.ts";
import { workspaceOptions } from "./options.ts";
import type { WorkspaceOptions } from "./options.ts";
import { readOptions } from "../shared/options.ts";
import { workspaceTools } from "./tools.ts";

/** Tools for one folder. The agent cannot access any other file. */
export function workspacePack(options: WorkspaceOptions): Pack {
  const settings = readOptions(options, { pack: "workspacePack", schema: workspaceOptions });
  const root = new Root({
    path: settings.root,
    prefix: "/workspace",
    create: true,
    isProtected: protecting(settings.protectedNames),
    allowHardLinks: settings.allowHardLinks,
  });
  return {
    name: "workspace",
    tools: workspaceTools(root, settings),
    policies: settings.approveDelete ? [askBeforeDelete] : [],
  };
}

const askBeforeDelete: Policy = (_agent, toolName, input) => {
  if (toolName !== "workspace_delete") return allow();
  const { path, recursive } = input as { path: string; recursive?: boolean };
  return ask(`Delete ${quote(path)}${recursive ? " and everything in it" : ""} from the workspace?`);
};
