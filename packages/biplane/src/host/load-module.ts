import { statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { BiplaneError } from "@biplane/core";
import { moduleError } from "./module-error.ts";

/** Imports a user's file. Uses Node's own TypeScript support if present, else tsx. */
export async function loadModule(file: string): Promise<{ default?: unknown }> {
  const path = resolve(file);
  const about = statSync(path, { throwIfNoEntry: false });
  if (!about) throw new BiplaneError("INVALID_DEFINITION", `File not found: ${path}.`);
  if (!about.isFile())
    throw new BiplaneError("INVALID_DEFINITION", `${path} is not a file. Pass the path of a module.`);
  if (/\.[cm]?tsx?$/.test(path) && !("typescript" in process.features && process.features.typescript))
    await registerTsx(path);
  try {
    return (await import(pathToFileURL(path).href)) as { default?: unknown };
  } catch (error) {
    throw moduleError(path, error);
  }
}

async function registerTsx(path: string): Promise<void> {
  try {
    const { register } = await import("tsx/esm/api");
    register();
  } catch {
    throw new BiplaneError(
      "NOT_SUPPORTED",
      `Node ${process.versions.node} cannot load TypeScript (${path}). Install tsx next to biplane, or use Node 22.18 or newer.`,
    );
  }
}
