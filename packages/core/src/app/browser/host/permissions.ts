import { isRecord } from "../../../is-record.ts";
import { appPermissions, browserFeatures } from "../../../tool/mcp-apps.ts";
import type { AppPermission } from "../../../tool/mcp-apps.ts";
import type { Permissions } from "../bridge/capabilities.ts";

/** The permissions that are both requested and offered. */
export function grantPermissions(requested: unknown, offered: readonly AppPermission[]): Permissions {
  if (!isRecord(requested)) return {};
  return Object.fromEntries(offered.filter((name) => isRecord(requested[name])).map((name) => [name, {}]));
}

/** The `allow` attribute for a frame with these permissions. */
export function allowAttribute(permissions: Permissions): string {
  return permissionNames(permissions)
    .map((name) => browserFeatures[name])
    .join("; ");
}

/** The known permissions in an untrusted object. */
export function permissionNames(permissions: Permissions): AppPermission[] {
  return appPermissions.filter((name) => permissions[name] !== undefined);
}
