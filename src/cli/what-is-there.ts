import type { Known } from "../config/check-sections.ts";

/** What a config file may name: the packs and environments that come with Biplane, loaded when somebody asks. */
export async function whatIsThere(): Promise<Known> {
  const [{ gallery }, { packs }] = await Promise.all([import("../gallery/gallery.ts"), import("../pack/packs.ts")]);
  const options = Object.entries(packs).map(([name, pack]) => [name, pack.options] as const);
  return { environments: Object.keys(gallery), packs: Object.fromEntries(options) };
}
