import type { Csp, Permissions } from "../browser/bridge/capabilities.ts";
import { browserFeatures, namesOf } from "../browser/host/permissions.ts";

/**
 * The headers that hold an app. The frame inside is a `srcdoc`, which inherits them. What MCP Apps demands is all there;
 * added are `form-action`, `base-uri` and who may show the page.
 */
export function sandboxHeaders(granted: { csp: Csp; permissions: Permissions; host: string }): Record<string, string> {
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentSecurityPolicy(granted.csp, granted.host),
    "permissions-policy": permissionsPolicy(granted.permissions),
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-dns-prefetch-control": "off",
    "origin-agent-cluster": "?1",
  };
}

/** The policy of a page with these domains, each of which has been checked. `host` is the origin that may show it. */
export function contentSecurityPolicy(csp: Csp, host: string): string {
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
    ["frame-ancestors", host],
  ]
    .map((directive) => directive.join(" "))
    .join("; ");
}

/** What was granted may be passed on to the frame inside, whose origin is nobody's; everything else is off for all. */
function permissionsPolicy(permissions: Permissions): string {
  const granted = new Set(namesOf(permissions).map((name) => browserFeatures[name]));
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

function listOr(list: readonly string[] | undefined, otherwise: string): readonly string[] {
  return list && list.length > 0 ? list : [otherwise];
}
