import { browserFeatures } from "../../tool/mcp-apps.ts";
import type { AppCsp } from "../../tool/mcp-apps.ts";
import type { Permissions } from "../browser/bridge/capabilities.ts";
import { permissionNames } from "../browser/host/permissions.ts";

/**
 * The headers of the sandbox page, which the inner `srcdoc` frame inherits. Beyond what MCP Apps requires, they set
 * `form-action`, `base-uri` and `frame-ancestors`.
 */
export function sandboxHeaders(granted: {
  csp: AppCsp;
  permissions: Permissions;
  hostOrigin: string;
}): Record<string, string> {
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentSecurityPolicy(granted.csp, granted.hostOrigin),
    "permissions-policy": permissionsPolicy(granted.permissions),
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-dns-prefetch-control": "off",
    "origin-agent-cluster": "?1",
  };
}

/** The policy for checked domains. `hostOrigin` is the origin that may frame the page. */
export function contentSecurityPolicy(csp: AppCsp, hostOrigin: string): string {
  const resources = csp.resourceDomains ?? [];
  return [
    ["default-src", "'none'"],
    ["script-src", "'self'", "'unsafe-inline'", ...resources],
    ["style-src", "'self'", "'unsafe-inline'", ...resources],
    ["img-src", "'self'", "data:", ...resources],
    ["media-src", "'self'", "data:", ...resources],
    ["font-src", ...listOr(resources, "'none'")],
    ["connect-src", ...listOr(csp.connectDomains, "'none'")],
    ["frame-src", ...listOr(csp.frameDomains, "'none'")],
    ["base-uri", ...listOr(csp.baseUriDomains, "'self'")],
    ["object-src", "'none'"],
    ["form-action", "'none'"],
    ["frame-ancestors", hostOrigin],
  ]
    .map((directive) => directive.join(" "))
    .join("; ");
}

/** Granted features get `*`, because the inner frame has an opaque origin. All others are disabled. */
function permissionsPolicy(permissions: Permissions): string {
  const granted = new Set<string>(permissionNames(permissions).map((name) => browserFeatures[name]));
  return features.map((feature) => `${feature}=${granted.has(feature) ? "*" : "()"}`).join(", ");
}

const features = [
  ...Object.values(browserFeatures),
  "accelerometer",
  "browsing-topics",
  "clipboard-read",
  "display-capture",
  "encrypted-media",
  "gyroscope",
  "hid",
  "identity-credentials-get",
  "idle-detection",
  "local-fonts",
  "magnetometer",
  "midi",
  "otp-credentials",
  "payment",
  "publickey-credentials-create",
  "publickey-credentials-get",
  "screen-wake-lock",
  "serial",
  "storage-access",
  "usb",
  "window-management",
  "xr-spatial-tracking",
];

function listOr(list: readonly string[] | undefined, fallback: string): readonly string[] {
  return list && list.length > 0 ? list : [fallback];
}
