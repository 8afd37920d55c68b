import type { Served } from "@biplane/core";
import { ServerCore } from "@biplane/core/internal";
import type { ResolvedConfig } from "../config/resolve-config.ts";

/**
 * Which tools of a server are listed, if not all. The operations of an API can be too many for a model, so that many are
 * disclosed unless the config says otherwise. The tools of an environment belong to its rules, so they are all listed.
 */
export function disclosureOf({ config, source }: ResolvedConfig, served: Served): Disclosure | undefined {
  if (!(served instanceof ServerCore)) return undefined;
  const { disclose, packs } = config;
  if (disclose === true) return { always: [] };
  if (disclose !== false) return disclose;
  const isChosen = source.originOf(["disclose"]).kind !== "default";
  const isTooMany = Object.hasOwn(packs, "openapi") && served.catalog.tools.size > maxListedOperations;
  return isTooMany && !isChosen ? { always: [] } : undefined;
}

interface Disclosure {
  readonly always: readonly string[];
}

const maxListedOperations = 50;
