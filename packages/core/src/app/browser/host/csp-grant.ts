import { isRecord } from "../../../is-record.ts";
import { cspLists, cspSourceProblem } from "../../../tool/csp-source.ts";
import type { AppCsp } from "../../../tool/mcp-apps.ts";

/** The granted and the rejected sources of a page. */
export interface CspGrant {
  readonly csp: AppCsp;
  readonly dropped: readonly DroppedSource[];
}

export interface DroppedSource {
  readonly list: string;
  readonly source: string;
  readonly why: string;
}

/**
 * Filters the untrusted domains of an app's resource: a source with a semicolon could add a directive. `never` are
 * origins that no app may use, such as that of the page that shows it.
 */
export function grantCsp(requested: unknown, options: { never?: readonly string[] } = {}): CspGrant {
  const lists = isRecord(requested) ? requested : {};
  const dropped: DroppedSource[] = [];
  let charactersLeft = maxCharacters;
  const csp: Record<string, string[]> = {};
  for (const [list, schemes] of Object.entries(cspLists)) {
    const granted = new Set<string>();
    for (const source of listed(lists[list])) {
      const why =
        granted.size >= maxSources || charactersLeft < 0
          ? "there are too many"
          : whyNot(source, schemes, options.never ?? []);
      if (why !== undefined) {
        if (dropped.length < maxDropped)
          dropped.push({ list, source: typeof source === "string" ? source.slice(0, 100) : typeof source, why });
        continue;
      }
      const known = (source as string).toLowerCase();
      charactersLeft -= known.length;
      granted.add(known);
    }
    if (granted.size > 0) csp[list] = [...granted];
  }
  return { csp, dropped };
}

// The query must fit into the request line that HTTP servers accept.
const maxCharacters = 4000;
const maxSources = 32;
const maxDropped = 100;

/** Why a text is no source that is granted, or undefined. */
function whyNot(source: unknown, schemes: readonly string[], never: readonly string[]): string | undefined {
  const why = cspSourceProblem(source, schemes);
  if (why !== undefined) return why;
  return never.some((origin) => isSameHost(source as string, origin))
    ? "it is the origin of the page or of the sandbox"
    : undefined;
}

/** Ignores schemes, because `ws://host` reaches the same server as `http://host`. All loopback names are equal. */
function isSameHost(source: string, origin: string): boolean {
  const requested = hostAndPort(source.replace("://*.", "://"));
  const own = hostAndPort(origin);
  if (requested.port !== own.port) return false;
  return requested.host === own.host || (source.includes("://*.") && own.host.endsWith(`.${requested.host}`));
}

function hostAndPort(text: string): { host: string; port: string } {
  const { hostname, protocol, port } = new URL(text.replace(/^ws/i, "http"));
  const isLoopback = /^(?:(?:.+\.)?localhost|127\..+|0\.0\.0\.0|\[::1?\])$/.test(hostname);
  return { host: isLoopback ? "localhost" : hostname, port: port || (protocol === "https:" ? "443" : "80") };
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, 1000) : [];
}
