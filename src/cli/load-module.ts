import { statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { BiplaneError } from "../errors.ts";
import { moduleFault } from "./terminal/module-fault.ts";

/** Imports a file of the user's. TypeScript is read by Node itself where it can, otherwise through tsx. */
export async function loadModule(file: string): Promise<{ default?: unknown }> {
  const path = resolve(file);
  const about = statSync(path, { throwIfNoEntry: false });
  if (!about) throw new BiplaneError("INVALID_DEFINITION", `there is no file ${path}`);
  if (!about.isFile()) throw new BiplaneError("INVALID_DEFINITION", `${path} is no file; name the module in it`);
  if (/\.[cm]?tsx?$/.test(path) && !("typescript" in process.features && process.features.typescript))
    await registerTsx(path);
  try {
    return (await import(pathToFileURL(path).href)) as { default?: unknown };
  } catch (error) {
    throw moduleFault(path, error);
  }
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
