import { person } from "./session.ts";
import { views } from "./views.ts";
import type { View } from "./views.ts";

/** True if the user has the scope. Without `isReading`, a scope that only permits to read is not enough. */
export function mayUse(scope: string, { isReading = false }: { readonly isReading?: boolean } = {}): boolean {
  const who = person.value;
  if (typeof who === "string") return false;
  const { scopes } = who;
  return scopes.includes("*") || scopes.includes(scope) || (isReading && scopes.includes(`${scope}:read`));
}

export function mayRead(scope: string): boolean {
  return mayUse(scope, { isReading: true });
}

/** The scope that a view needs. Undefined for views that everyone may open. */
export function scopeOfView(route: string): string | undefined {
  return viewScopes[route];
}

/** The views that the user may open. */
export function allowedViews(): readonly View[] {
  return views.filter(({ route }) => mayOpen(route));
}

export function mayOpen(route: string): boolean {
  const scope = scopeOfView(route);
  return scope === undefined || mayRead(scope);
}

/** Where the page starts: the overview, or the only view that the user may open besides those of everyone. */
export function startRoute(): string {
  const own = views.filter(({ route }) => scopeOfView(route) !== undefined && mayOpen(route));
  const kinds = new Set(own.map(({ route }) => scopeOfView(route)));
  return kinds.size === 1 ? (own[0]?.route ?? "overview") : "overview";
}

const viewScopes: Readonly<Record<string, string>> = {
  tools: "tools",
  live: "calls",
  approvals: "approvals",
  scripts: "approvals",
  policies: "policies",
  episodes: "episodes",
  runs: "runs",
  audit: "audit",
  secrets: "secrets",
  connections: "connections",
};
