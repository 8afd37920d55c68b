import type { ProcessTarget } from "../client/options.ts";
import { BiplaneError } from "../errors.ts";
import type { Mountable } from "./mount.ts";
import type { Pack } from "./pack.ts";

/** A remote server: its URL, or the command that starts it. */
export type RemoteTarget = string | URL | ProcessTarget;

export function isMountable(target: Mountable | Pack): target is Mountable {
  return "catalog" in target;
}

export function isRemoteTarget(target: Mountable | Pack | RemoteTarget): target is RemoteTarget {
  return typeof target === "string" || target instanceof URL || "command" in target;
}

export function checkMountTarget(name: string, target: unknown): void {
  const isTarget =
    typeof target === "string" ||
    (typeof target === "object" &&
      target !== null &&
      (target instanceof URL || "command" in target || "catalog" in target || "tools" in target));
  if (isTarget) return;
  const kind = target === null ? "null" : Array.isArray(target) ? "an array" : `a value of type ${typeof target}`;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `Cannot mount ${JSON.stringify(name)}: expected a server, an environment, a pack, a URL or { command }, got ${kind}.`,
  );
}
