import { grantCsp } from "../browser/host/csp-grant.ts";
import { grantPermissions } from "../browser/host/permissions.ts";
import { appPermissions } from "../../tool/mcp-apps.ts";
import type { AppPermission } from "../../tool/mcp-apps.ts";
import { sandboxHeaders } from "./headers.ts";
import { proxyPage } from "./proxy-page.ts";
import { BiplaneError } from "../../errors.ts";

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

/** Serves the outer frame of apps, on host names that serve nothing else. */
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

/** Where apps run: with `{app}` one origin per app, without it one origin for all. */
interface SandboxAddress {
  readonly text: string;
  readonly hasOwnOrigins: boolean;
  /** Whether a Host header belongs to this address. */
  owns(host: string): boolean;
}

/** Parses `http://{app}.localhost:8000`, `https://{app}.apps.example.com` or `https://apps.example.com`. */
function sandboxAddress(text: string): SandboxAddress {
  const example = text.replace("{app}", placeholder);
  const url = URL.canParse(example) ? new URL(example) : undefined;
  const hasOwnOrigins = example !== text;
  if (!url || !/^https?:$/.test(url.protocol) || `${url.origin}${text.endsWith("/") ? "/" : ""}` !== example)
    throw wrong(text, "it must be an origin without a path, such as https://{app}.apps.example.com");
  const rest = url.hostname.slice(placeholder.length);
  if (hasOwnOrigins && !(url.hostname.startsWith(`${placeholder}.`) && rest.length > 1))
    throw wrong(text, "{app} must be the whole first label of the host name");
  return {
    text: text.replace(/\/$/, ""),
    hasOwnOrigins,
    owns: (host) => {
      const name = hostName(host);
      if (!hasOwnOrigins) return name === url.hostname;
      return name.endsWith(rest) && isLabel(name.slice(0, -rest.length));
    },
  };
}

/** True for the host name label of an app: 16 to 32 hexadecimal digits. */
function isLabel(text: string): boolean {
  return /^[0-9a-f]{16,32}$/.test(text);
}

const placeholder = "0123456789abcdef";

/** Drops the port. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "");
}

function wrong(text: string, why: string): BiplaneError {
  return new BiplaneError("INVALID_DEFINITION", `The sandbox address ${JSON.stringify(text)} cannot be used: ${why}.`);
}
