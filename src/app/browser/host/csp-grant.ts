import { cspLists, whyNoSource } from "../../../tool/csp-source.ts";
import type { Csp } from "../bridge/capabilities.ts";

/** What a page gets of the domains it asked for, and what it does not get. */
export interface CspGrant {
  readonly csp: Csp;
  readonly dropped: readonly DroppedSource[];
}

export interface DroppedSource {
  readonly list: string;
  readonly source: string;
  readonly why: string;
}

/**
 * Filters the domains of an app's resource. They are hostile: a source with a semicolon would be a directive of its own.
 * `never` are origins that no app may name, such as that of the page it is shown in.
 */
export function grantCsp(asked: unknown, options: { never?: readonly string[] } = {}): CspGrant {
  const lists = isPlain(asked) ? asked : {};
  const dropped: DroppedSource[] = [];
  let room = mostCharacters;
  const csp: Record<string, string[]> = {};
  for (const [list, schemes] of Object.entries(cspLists)) {
    const granted = new Set<string>();
    for (const source of listed(lists[list])) {
      const why =
        granted.size >= mostSources || room < 0 ? "there are too many" : whyNot(source, schemes, options.never ?? []);
      if (why !== undefined) {
        if (dropped.length < mostDropped)
          dropped.push({ list, source: typeof source === "string" ? source.slice(0, 100) : typeof source, why });
        continue;
      }
      const known = (source as string).toLowerCase();
      room -= known.length;
      granted.add(known);
    }
    if (granted.size > 0) csp[list] = [...granted];
  }
  return { csp, dropped };
}

// A whole query must fit into what HTTP servers take as the head of a request.
const mostCharacters = 4000;
const mostSources = 32;
const mostDropped = 100;

/** Why a text is no source that is granted, or undefined. */
function whyNot(source: unknown, schemes: readonly string[], never: readonly string[]): string | undefined {
  const why = whyNoSource(source, schemes);
  if (why !== undefined) return why;
  return never.some((origin) => isSamePlace(source as string, origin))
    ? "it is the place the app is shown in"
    : undefined;
}

/** Schemes do not matter: `ws://host` reaches what `http://host` does. Neither does the name under which a machine knows itself. */
function isSamePlace(source: string, origin: string): boolean {
  const named = placeOf(source.replace("://*.", "://"));
  const kept = placeOf(origin);
  if (named.port !== kept.port) return false;
  return named.host === kept.host || (source.includes("://*.") && kept.host.endsWith(`.${named.host}`));
}

function placeOf(text: string): { host: string; port: string } {
  const { hostname, protocol, port } = new URL(text.replace(/^ws/i, "http"));
  const isLoopback = /^(?:(?:.+\.)?localhost|127\..+|0\.0\.0\.0|\[::1?\])$/.test(hostname);
  return { host: isLoopback ? "localhost" : hostname, port: port || (protocol === "https:" ? "443" : "80") };
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, 1000) : [];
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
