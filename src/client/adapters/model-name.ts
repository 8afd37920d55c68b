import { createHash } from "node:crypto";
import type { ToolSource } from "./tool-source.ts";

/**
 * The name of a tool as model APIs allow it: at most 64 letters, digits, underscores and hyphens. One that does not fit
 * is cut and marked, the same way every time.
 */
export function modelName(name: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return name;
  const mark = createHash("sha256").update(name).digest("hex").slice(0, markLength);
  return `${name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64 - markLength - 1)}_${mark}`;
}

/** The tool that a model means. The list is asked only where a name may be a marked one. */
export async function toolNamed(source: ToolSource, named: string): Promise<string> {
  if (!marked.test(named)) return named;
  const tools = await source.listTools();
  return tools.find(({ name }) => modelName(name) === named)?.name ?? named;
}

const markLength = 10;
const marked = new RegExp(`_[0-9a-f]{${markLength}}$`);
