import { grantCsp } from "../browser/host/csp-grant.ts";
import { grantPermissions } from "../browser/host/permissions.ts";
import type { Permissions } from "../browser/bridge/capabilities.ts";
import { sandboxAddress } from "./address.ts";
import { sandboxHeaders } from "./headers.ts";
import { proxyPage } from "./proxy-page.ts";

export interface SandboxDoorOptions {
  /** Where apps run: an origin with `{app}` as its first label, else one origin for all of them. */
  readonly address?: string;
  /** The origins of the pages that may show apps, as a list or as what decides. */
  readonly hosts: readonly string[] | ((origin: string) => boolean);
  /** What apps may be given of the browser when they ask: all that MCP Apps knows, unless said. */
  readonly permissions?: readonly (keyof Permissions)[];
}

/** What is known of a request: as it came, nothing decoded. */
export interface SandboxRequest {
  readonly method: string;
  /** The Host header. */
  readonly host: string;
  /** Path and query. */
  readonly url: string;
}

export interface SandboxAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** The door to the origins where apps run. It has one page, and nothing else is ever answered there. */
export interface SandboxDoor {
  readonly address: string;
  /** Whether a request to this Host belongs here. Such a request must go to no other door. */
  owns(host: string): boolean;
  answer(request: SandboxRequest): SandboxAnswer;
}

export function sandboxDoor(options: SandboxDoorOptions): SandboxDoor {
  const { permissions = everyPermission, hosts } = options;
  const address = sandboxAddress(options.address ?? "http://{app}.localhost");
  const isKnown = typeof hosts === "function" ? hosts : (origin: string) => hosts.includes(origin);
  return {
    address: address.text,
    owns: (host) => address.owns(host),
    answer: ({ method, host, url }) => {
      if (!address.owns(host)) return refused(404, "There is nothing here");
      const [path, query = ""] = cut(url);
      if (path !== "/sandbox") return refused(404, "There is nothing here");
      if (method !== "GET" && method !== "HEAD") return refused(405, "Only GET", { allow: "GET, HEAD" });
      const asked = new URLSearchParams(query);
      const shownIn = asked.get("host") ?? "";
      if (!isOrigin(shownIn) || !isKnown(shownIn))
        return refused(403, "The page that shows the app is not one of those that may: see the option hosts");
      if (shownIn.includes("["))
        return refused(403, "A page at an IPv6 address cannot be named in frame-ancestors: open it under a name");
      const grant = {
        host: shownIn,
        hasOwnOrigin: address.hasOwnOrigins,
        permissions: grantPermissions(parsed(asked.get("permissions")), permissions),
        ...grantCsp(parsed(asked.get("csp")), { never: [shownIn] }),
      };
      const bytes = method === "HEAD" ? Buffer.alloc(0) : Buffer.from(proxyPage(grant));
      return { status: 200, headers: sandboxHeaders(grant), bytes };
    },
  };
}

const everyPermission: readonly (keyof Permissions)[] = ["camera", "microphone", "geolocation", "clipboardWrite"];

function cut(url: string): [path: string, query?: string] {
  const at = url.indexOf("?");
  return at < 0 ? [url] : [url.slice(0, at), url.slice(at + 1)];
}

/** An origin exactly as browsers write it, so that it can stand in a header. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;
}

/** What is no JSON asks for nothing. */
function parsed(json: string | null): unknown {
  try {
    return json === null || json.length > 16_384 ? undefined : JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Strict even here: an error page on an app's origin must not be of any use to the app. */
function refused(status: number, why: string, more: Record<string, string> = {}): SandboxAnswer {
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
