import { everyone } from "../../../tool/mcp-apps.ts";
import type { Visibility } from "../../../tool/mcp-apps.ts";
import { readToolUi } from "../bridge/read-meta.ts";
import { isRecord } from "../../../is-record.ts";

/** The fields of a listed tool that decide who may call it. */
export interface ListedTool {
  readonly name: string;
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined;
  readonly _meta?: unknown;
}

/** The tools for the model: all except those only for apps. */
export function modelTools<Tool extends ListedTool>(tools: readonly Tool[]): Tool[] {
  return tools.filter((tool) => visibilityOf(tool).includes("model"));
}

/** The tools that an app of the same server may call. */
export function appTools<Tool extends ListedTool>(tools: readonly Tool[]): Tool[] {
  return tools.filter((tool) => visibilityOf(tool).includes("app"));
}

/** The URI of a tool's page: `_meta.ui.resourceUri` or its former key. */
export function appUriOf(tool: ListedTool): string | undefined {
  return readToolUi(tool._meta).resourceUri;
}

/** A missing value means everyone; anything but a list means no one. */
function visibilityOf({ _meta: meta }: ListedTool): readonly Visibility[] {
  const ui = isRecord(meta) ? meta["ui"] : undefined;
  const given = isRecord(ui) ? ui["visibility"] : undefined;
  if (given === undefined) return everyone;
  return Array.isArray(given) ? everyone.filter((who) => given.includes(who)) : [];
}
