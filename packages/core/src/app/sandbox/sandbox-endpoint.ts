import { grantCsp } from "../browser/host/csp-grant.ts";
import { grantPermissions } from "../browser/host/permissions.ts";
import { appPermissions } from "../../tool/mcp-apps.ts";
import type { AppPermission } from "../../tool/mcp-apps.ts";
import { sandboxAddress } from "./address.ts";
import { sandboxHeaders } from "./headers.ts";
import { proxyPage } from "./proxy-page.ts";

export interface SandboxEndpointOptions {
  /** Where apps run. With `{app}` as the first label, each app gets its own origin (default: `http://{app}.localhost`). */
  readonly address?: string;
  /** The origins of the pages that may show apps, as a list or a function. */
  readonly hosts: readonly string[] | ((origin: string) => boolean);
  /** Permissions that apps may get if they request them (default: all). */
  readonly permissions?: readonly AppPermission[];
}

/** The raw values of a request, not decoded. */
export interface SandboxRequest {
  readonly method: string;
  /** The Host header. */
  readonly host: string;
  /** Path and query. */
  readonly url: string;
}

export interface SandboxResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** Serves the sandbox page on the origins where apps run, and nothing else. */
export interface SandboxEndpoint {
  readonly address: string;
  /** Whether requests with this Host header belong here. Serve them nowhere else. */
  owns(host: string): boolean;
  handle(request: SandboxRequest): SandboxResponse;
}

export function sandboxEndpoint(options: SandboxEndpointOptions): SandboxEndpoint {
  const { permissions = appPermissions, hosts } = options;
  const address = sandboxAddress(options.address ?? "http://{app}.localhost");
  const mayShow = typeof hosts === "function" ? hosts : (origin: string) => hosts.includes(origin);
  return {
    address: address.text,
    owns: (host) => address.owns(host),
    handle: ({ method, host, url }) => {
      if (!address.owns(host)) return refused(404, "Not found");
      const [path, query = ""] = cut(url);
      if (path !== "/sandbox") return refused(404, "Not found");
      if (method !== "GET" && method !== "HEAD") return refused(405, "Use GET", { allow: "GET, HEAD" });
      const parameters = new URLSearchParams(query);
      const hostOrigin = parameters.get("host") ?? "";
      if (!isOrigin(hostOrigin) || !mayShow(hostOrigin))
        return refused(403, `${JSON.stringify(hostOrigin)} may not show apps. Add its origin to the option hosts.`);
      if (hostOrigin.includes("["))
        return refused(403, "frame-ancestors cannot contain an IPv6 address. Open the page under a host name.");
      const grant = {
        host: hostOrigin,
        hasOwnOrigin: address.hasOwnOrigins,
        permissions: grantPermissions(parsed(parameters.get("permissions")), permissions),
        ...grantCsp(parsed(parameters.get("csp")), { never: [hostOrigin] }),
      };
      const bytes = method === "HEAD" ? Buffer.alloc(0) : Buffer.from(proxyPage(grant));
      return { status: 200, headers: sandboxHeaders({ ...grant, hostOrigin }), bytes };
    },
  };
}

function cut(url: string): [path: string, query?: string] {
  const at = url.indexOf("?");
  return at < 0 ? [url] : [url.slice(0, at), url.slice(at + 1)];
}

/** True for an origin in the exact form of browsers, so that it is safe in a header. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;
}

/** Invalid JSON counts as no request. */
function parsed(json: string | null): unknown {
  try {
    return json === null || json.length > 16_384 ? undefined : JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Strict headers here too, so that an app cannot abuse an error page on its origin. */
function refused(status: number, why: string, more: Record<string, string> = {}): SandboxResponse {
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    ...more,
  };
  return { status, headers, bytes: Buffer.from(`${why}\n`) };
}
