import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { BiplaneError } from "../errors.ts";

/** Imports a file of the user's. TypeScript is read by Node itself where it can, otherwise through tsx. */
export async function loadModule(file: string): Promise<{ default?: unknown }> {
  const path = resolve(file);
  if (!existsSync(path)) throw new BiplaneError("INVALID_DEFINITION", `there is no file ${path}`);
  if (/\.[cm]?tsx?$/.test(path) && !("typescript" in process.features && process.features.typescript))
    await registerTsx(path);
  return (await import(pathToFileURL(path).href)) as { default?: unknown };
}

async function registerTsx(path: string): Promise<void> {
  try {
    const { register } = await import("tsx/esm/api");
    register();
  } catch {
    const why = `Node ${process.versions.node} cannot read TypeScript by itself: install tsx beside biplane, or use Node 22.18 or newer`;
    throw new BiplaneError("NOT_SUPPORTED", `${path}: ${why}`);
  }
}
