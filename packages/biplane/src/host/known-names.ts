import type { KnownNames } from "../config/check-sections.ts";
import { tau2Names } from "../tau2/environment-names.ts";

/** The built-in environments and packs, for checking the names in a config file. Loaded on demand to keep startup fast. */
export async function knownNames(): Promise<KnownNames> {
  const [{ gallery }, { packs }] = await Promise.all([import("@biplane/gallery"), import("../pack/packs.ts")]);
  const options = Object.entries(packs).map(([name, pack]) => [name, pack.options] as const);
  return { environments: [...Object.keys(gallery), ...tau2Names], packs: Object.fromEntries(options) };
}
