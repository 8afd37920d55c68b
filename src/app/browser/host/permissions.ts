import type { Permissions } from "../bridge/capabilities.ts";

/** The permissions MCP Apps knows, and what browsers call them. */
export const browserFeatures: Readonly<Record<keyof Permissions, string>> = {
  camera: "camera",
  microphone: "microphone",
  geolocation: "geolocation",
  clipboardWrite: "clipboard-write",
};

/** Those of the permissions that are ones and that the page may give; the rest is dropped. */
export function grantPermissions(asked: unknown, offered: readonly (keyof Permissions)[]): Permissions {
  if (typeof asked !== "object" || asked === null) return {};
  const wanted = offered.filter((name) => isGiven((asked as Record<string, unknown>)[name]));
  return Object.fromEntries(wanted.map((name) => [name, {}]));
}

/** The `allow` attribute of a frame that may do these things. */
export function allowAttribute(permissions: Permissions): string {
  return namesOf(permissions)
    .map((name) => browserFeatures[name])
    .join("; ");
}

/** Which permissions there are in this object, each of them known. */
export function namesOf(permissions: Permissions): (keyof Permissions)[] {
  return (Object.keys(browserFeatures) as (keyof Permissions)[]).filter((name) => permissions[name] !== undefined);
}

/** An empty object says yes. */
function isGiven(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
