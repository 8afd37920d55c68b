import { allow, ask } from "../../call/policy.ts";
import type { Policy } from "../../call/policy.ts";
import type { Pack } from "../../server/pack.ts";
import { protecting } from "../files/names.ts";
import { quote } from "../files/parse-path.ts";
import { Root } from "../files/root.ts";
import { deleteTool } from "./delete.ts";
import { editTool } from "./edit.ts";
import { listTool } from "./list.ts";
import { moveTool } from "./move.ts";
import { workspaceDefaults } from "./options.ts";
import type { WorkspaceOptions } from "./options.ts";
import { readTool } from "./read.ts";
import { searchTool } from "./search.ts";
import { writeTool } from "./write.ts";

/** A folder that an agent may work in, and see nothing else of the disk. */
export function workspacePack(options: WorkspaceOptions): Pack {
  const settings = { ...workspaceDefaults, ...options };
  const root = new Root({
    path: settings.root,
    prefix: "/workspace",
    create: true,
    isProtected: protecting(settings.protectedNames),
    allowHardLinks: settings.allowHardLinks,
  });
  return {
    name: "workspace",
    tools: [
      readTool(root, settings),
      writeTool(root, settings),
      listTool(root),
      editTool(root, settings),
      searchTool(root),
      moveTool(root),
      deleteTool(root),
    ],
    policies: settings.approveDelete ? [askBeforeDelete] : [],
  };
}

const askBeforeDelete: Policy = (_agent, toolName, input) => {
  if (toolName !== "workspace_delete") return allow();
  const { path, recursive } = input as { path: string; recursive?: boolean };
  return ask(`May ${quote(path)}${recursive ? " and everything in it" : ""} be deleted from the workspace?`);
};
