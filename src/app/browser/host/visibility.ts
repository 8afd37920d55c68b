import type { Visibility } from "../bridge/capabilities.ts";
import { readToolUi } from "../bridge/read-meta.ts";
import { isRecord } from "../bridge/rpc.ts";

/** As much of a tool as is needed to know who may call it. */
export interface ListedTool {
  readonly name: string;
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined;
  readonly _meta?: unknown;
}

/** The tools that a model is to know of: all but those that are for apps alone. */
export function modelTools<Tool extends ListedTool>(tools: readonly Tool[]): Tool[] {
  return tools.filter((tool) => visibilityOf(tool).includes("model"));
}

/** The tools that an app of the same server may call. */
export function appTools<Tool extends ListedTool>(tools: readonly Tool[]): Tool[] {
  return tools.filter((tool) => visibilityOf(tool).includes("app"));
}

/** The page that a tool is shown with: `_meta.ui.resourceUri`, or the key that was used before it. */
export function appUriOf(tool: ListedTool): string | undefined {
  return readToolUi(tool._meta).resourceUri;
}

/** Said nothing, it is for both. Said something else than a list, it is for nobody. */
function visibilityOf({ _meta: meta }: ListedTool): readonly Visibility[] {
  const ui = isRecord(meta) ? meta["ui"] : undefined;
  const said = isRecord(ui) ? ui["visibility"] : undefined;
  if (said === undefined) return everyone;
  return Array.isArray(said) ? everyone.filter((who) => said.includes(who)) : [];
}

const everyone: readonly Visibility[] = ["model", "app"];
