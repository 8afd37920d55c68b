import { createHash } from "node:crypto";
import type { ToolSource } from "./tool-source.ts";

/**
 * A tool name that model APIs accept: at most 64 letters, digits, underscores and hyphens. Other names are shortened and
 * get a hash, so that they stay unique and stable.
 */
export function modelName(name: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, hashLength);
  return `${name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64 - hashLength - 1)}_${hash}`;
}

/** The tool behind a model's name for it. Lists the tools only if the name may end in a hash. */
export async function toolNamed(source: ToolSource, named: string): Promise<string> {
  if (!hashed.test(named)) return named;
  const tools = await source.listTools();
  return tools.find(({ name }) => modelName(name) === named)?.name ?? named;
}

const hashLength = 10;
const hashed = new RegExp(`_[0-9a-f]{${hashLength}}$`);
